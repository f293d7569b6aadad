import type { Tenant } from '../../platform/tenant.ts';
import type { ReceivedReport } from './received.ts';

/** The format of a message. */
export type LabFormat = 'hl7' | 'fhir';

/** Thrown for a message that cannot be parsed. The text says where and why, and never contains personal data. */
export class UnreadableMessageError extends Error {}

/** HL7 table 0008: accepted (AA), stored but unreadable (AE), rejected (AR). */
export type AckCode = 'AA' | 'AE' | 'AR';

/** The sending and receiving applications and facilities: MSH-3 to MSH-6. */
export interface MessageParties {
  readonly labApplication: string;
  readonly labFacility: string;
  readonly ourApplication: string;
  readonly ourFacility: string;
}

/** The header of a message, as far as it can be parsed; missing fields are empty strings. */
export interface MessageHead extends MessageParties {
  /** Whether the bytes start like a message. */
  readonly isMessage: boolean;
  /** MSH-10, or the identifier of a Bundle. */
  readonly controlId: string;
  /** MSH-9, for example `ORU^R01`, or the resource type of the JSON (`Bundle`). */
  readonly type: string;
  /** MSH-11: P, T or D. */
  readonly processing: string;
  /** MSH-12. */
  readonly version: string;
}

/** What parsing needs to know about the connection of a message. */
export interface ReportReadContext {
  readonly lab: string;
  readonly accountNumber: string | null;
  /** IANA time zone of timestamps without an offset. */
  readonly timeZone: string;
  /** Time of arrival; used if the message has no timestamp. */
  readonly arrivedAt: Date;
}

export interface Acknowledgement {
  readonly code: AckCode;
  /** The reason, for AE and AR. */
  readonly text: string | null;
  /** The control id of the acknowledgement itself. */
  readonly id: string;
  readonly at: Date;
}

/** A laboratory's acknowledgement of our message. */
export interface ReceivedAcknowledgement {
  readonly code: AckCode;
  readonly text: string | null;
}

/** PEM certificates: additional CAs to trust, and our own certificate with its key. */
export interface TlsMaterial {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface MllpTarget {
  readonly host: string;
  /** The resolved addresses of the host; only these are connected to. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Undefined for a connection without TLS. */
  readonly tls: TlsMaterial | undefined;
}

/** The defect of an invalid frame. */
export type FrameDefect = 'truncated' | 'unframed' | 'too_large';

export interface ReceivedFrame {
  /** For a frame that is too large, only its beginning. */
  readonly bytes: Buffer;
  readonly flaw: FrameDefect | undefined;
  readonly remoteAddress: string;
  /** SHA-256 fingerprint of the client's certificate, `AB:CD:...`; null without one. */
  readonly fingerprint: string | null;
}

export interface MllpListenOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: { cert: string; key: string; ca: string | undefined } | undefined;
  readonly limitBytes: number;
  readonly idleMs: number;
  readonly connections: number;
  /** Connections of one IPv4 address or IPv6 /64 network, so that no sender can use up all; default: no limit. */
  readonly connectionsPerAddress?: number;
  /** Shared by listeners whose limits hold for all of them together; default: of this listener alone. */
  readonly load?: MllpLoad;
}

/** What MLLP listeners hold at the moment. */
export interface MllpLoad {
  connections: number;
  /** Connections by the IPv4 address or IPv6 /64 network of the client. */
  readonly byNetwork: Map<string, number>;
  /** Bytes of unfinished frames. */
  bufferedBytes: number;
}

export interface MllpListener {
  readonly port: number;
  /** Stops accepting, answers the frames in progress, then closes all connections. */
  close(): Promise<void>;
}

/** Returns the response to a frame; null sends none. */
export type FrameHandler = (frame: ReceivedFrame) => Promise<Buffer | null>;

/** Character sets of orders, by their names in HL7 table 0211. */
export const ORDER_CHARACTER_SETS = [
  'UNICODE UTF-8',
  'ASCII',
  '8859/1',
  '8859/2',
  '8859/9',
  '8859/15',
] as const;
export type OrderCharacterSet = (typeof ORDER_CHARACTER_SETS)[number];

/** The header data of an outgoing order. */
export interface OrderEnvelope extends MessageParties {
  readonly controlId: string;
  /** Our order number for the laboratory: short, unique, printable. */
  readonly placer: string;
  readonly messageType: 'ORM_O01' | 'OML_O21';
  readonly accountNumber: string | null;
  readonly processing: 'P' | 'T';
  readonly characterSet: OrderCharacterSet;
  readonly at: Date;
}

/** The laboratory protocol: parsing, writing and transport of messages. Stateless, without tenants. */
export interface LabProtocol {
  /** Never throws. */
  readHead(bytes: Buffer, format: LabFormat): MessageHead;
  /** Splits a file or batch into messages. Returns at least one; never throws. */
  split(bytes: Buffer): Buffer[];
  /** The reports in a message; throws UnreadableMessageError. */
  readReports(
    message: { bytes: Buffer; format: LabFormat },
    at: ReportReadContext,
  ): readonly ReceivedReport[];
  /**
   * Returns the message without the unwanted reports. Undefined if no report would be left, or if one cannot be removed
   * on its own; throws UnreadableMessageError.
   */
  removeReports(
    message: { bytes: Buffer; format: LabFormat },
    at: ReportReadContext,
    isUnwanted: (report: ReceivedReport) => boolean,
  ): Buffer | undefined;
  acknowledge(head: MessageHead, ack: Acknowledgement): Buffer;
  /** Joins several acknowledgements into a batch. */
  joinAcknowledgements(acks: readonly Buffer[]): Buffer;
  listen(options: MllpListenOptions, hear: FrameHandler): Promise<MllpListener>;
  /** Sends one message and waits for its acknowledgement; throws on timeout. */
  send(target: MllpTarget, message: { bytes: Buffer; controlId: string }): Promise<ReceivedAcknowledgement>;
}

/** Identifies a requisition: its tenant, order and laboratory. */
export interface RequisitionReference {
  readonly tenant: Tenant;
  readonly orderId: string;
  readonly lab: string;
  /** For an erased order: the connection that sent it, the only data left. */
  readonly erasedFrom?: string;
}

/** An outgoing message to a laboratory. */
export interface OutgoingOrder {
  readonly requisition: RequisitionReference;
  readonly kind: 'new' | 'cancel';
  readonly placer: string;
  readonly accountNumber: string | null;
  readonly write: (envelope: OrderEnvelope) => Buffer;
}

/** Stores outgoing messages before they are sent, so that a retry reuses the same control id. */
export interface LabOutbox {
  /**
   * Stores and sends the message; resolves when the laboratory has accepted it, at once if it did before. Throws a
   * DomainError of kind `unavailable` with the reason: no connection, a refusal, no response. A refused cancellation is
   * a `conflict`.
   */
  deliver(order: OutgoingOrder): Promise<void>;
  /** Whether a message that places this order was ever stored. */
  wasPlaced(requisition: RequisitionReference): Promise<boolean>;
}
