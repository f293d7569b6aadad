import type { Tenant } from '../../platform/tenant.ts';
import type { ReceivedReport } from './received.ts';

/** In which language a message is written. */
export type LabFormat = 'hl7' | 'fhir';

/** Thrown for a message that cannot be read. Its text says where and why, and never what the message says of a person. */
export class UnreadableMessage extends Error {}

/** HL7 table 0008: taken; kept, but not understood; refused. */
export type AckCode = 'AA' | 'AE' | 'AR';

/** Who speaks and who is spoken to: the applications and facilities of MSH-3 to MSH-6. */
export interface Parties {
  readonly labApplication: string;
  readonly labFacility: string;
  readonly ourApplication: string;
  readonly ourFacility: string;
}

/** The head of a message, as far as it can be made out; empty texts where nothing was said. */
export interface MessageHead extends Parties {
  /** Whether it begins like a message at all. */
  readonly isMessage: boolean;
  /** MSH-10, or the identifier of a Bundle. */
  readonly controlId: string;
  /** MSH-9 as `ORU^R01`, or the type of a Bundle's first resource. */
  readonly type: string;
  /** MSH-11: P, T or D. */
  readonly processing: string;
  /** MSH-12. */
  readonly version: string;
}

/** What reading has to know of the connection that a message came by. */
export interface ReadingAt {
  readonly lab: string;
  readonly accountNumber: string | null;
  /** IANA name: in which moments without an offset are meant. */
  readonly timeZone: string;
  /** When it came; it stands in where the message has no moment of its own. */
  readonly arrivedAt: Date;
}

export interface Acknowledgement {
  readonly code: AckCode;
  /** Why, for AE and AR. */
  readonly text: string | null;
  /** How the acknowledgement itself is named. */
  readonly id: string;
  readonly at: Date;
}

/** What a laboratory answered to a message of ours. */
export interface LabAnswer {
  readonly code: AckCode;
  readonly text: string | null;
}

/** Certificates in PEM: the authorities to trust besides the usual ones, and our own with its key. */
export interface TlsMaterial {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface MllpTarget {
  readonly host: string;
  /** The addresses that the host was found to have; they are connected to, nothing else is. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** None is a bare connection. */
  readonly tls: TlsMaterial | undefined;
}

/** How a frame came that is not what it should be. */
export type Flaw = 'truncated' | 'unframed' | 'too_large';

export interface HeardFrame {
  /** Of a frame that was too large, its beginning. */
  readonly bytes: Buffer;
  readonly flaw: Flaw | undefined;
  readonly remoteAddress: string;
  /** SHA-256 of the client's certificate as `AB:CD:...`; null without one. */
  readonly fingerprint: string | null;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: { cert: string; key: string; ca: string | undefined } | undefined;
  readonly limitBytes: number;
  readonly idleMs: number;
  readonly connections: number;
}

export interface MllpListener {
  readonly port: number;
  /** Takes no more, lets what is under way be answered, then hangs up. */
  close(): Promise<void>;
}

/** The bytes to answer a frame with; null is silence. */
export type HearFrame = (frame: HeardFrame) => Promise<Buffer | null>;

/** Under which names an order goes out. */
export interface OrderEnvelope extends Parties {
  readonly controlId: string;
  /** How we name the order to the laboratory: short, unique, printable. */
  readonly placer: string;
  readonly messageType: 'ORM_O01' | 'OML_O21';
  readonly accountNumber: string | null;
  readonly processing: 'P' | 'T';
  readonly at: Date;
}

/** The language of laboratories: reading, writing, and the line itself. It keeps nothing and knows no tenant. */
export interface LabWire {
  /** Never throws. */
  headOf(bytes: Buffer, format: LabFormat): MessageHead;
  /** The messages in a file, a batch, or bytes that are one message; at least one, never throws. */
  split(bytes: Buffer): Buffer[];
  /** The reports in a message; throws UnreadableMessage. */
  read(message: { bytes: Buffer; format: LabFormat }, at: ReadingAt): readonly ReceivedReport[];
  /**
   * The message without some of its reports, as it would have come without them. Undefined where no report would be
   * left, or where one cannot be taken out by itself; throws UnreadableMessage.
   */
  without(
    message: { bytes: Buffer; format: LabFormat },
    at: ReadingAt,
    isUnwanted: (report: ReceivedReport) => boolean,
  ): Buffer | undefined;
  acknowledge(head: MessageHead, ack: Acknowledgement): Buffer;
  /** Acknowledgements of a batch, as a batch where there are several. */
  joinAcknowledgements(acks: readonly Buffer[]): Buffer;
  listen(options: ListenOptions, hear: HearFrame): Promise<MllpListener>;
  /** Sends one message and waits for its acknowledgement; throws when none comes in time. */
  send(target: MllpTarget, message: { bytes: Buffer; controlId: string }): Promise<LabAnswer>;
}

/** Whose requisition, and at which laboratory. */
export interface RequisitionName {
  readonly tenant: Tenant;
  readonly orderId: string;
  readonly lab: string;
  /** The connection by which an order went out that is erased here: nothing else is known of it any more. */
  readonly erasedFrom?: string;
}

/** A message of ours to a laboratory, as it is asked for. */
export interface OutgoingOrder {
  readonly requisition: RequisitionName;
  readonly kind: 'new' | 'cancel';
  readonly placer: string;
  readonly accountNumber: string | null;
  readonly write: (envelope: OrderEnvelope) => Buffer;
}

/** Where messages to laboratories are kept before they are sent, so that none is sent twice under two names. */
export interface LabOutbox {
  /**
   * Keeps the message, sends it, and comes back when the laboratory has taken it; at once when it has before. Throws a
   * DomainError of kind `unavailable` that says what is wrong: no connection, a refusal, no answer. A cancellation that is
   * refused is a `conflict`.
   */
  deliver(order: OutgoingOrder): Promise<void>;
  /** Whether a message that places this order was ever kept. */
  wasPlaced(requisition: RequisitionName): Promise<boolean>;
}
