import type { App } from '../../app.ts';
import {
  UnreadableMessageError,
  type AckCode,
  type FrameDefect,
  type LabFormat,
  type MessageHead,
} from '../../adapters/lab-network/port.ts';
import { DomainError, type ErrorDetail } from '../../platform/errors.ts';
import { newId, newRandomId } from '../../platform/ids.ts';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { LabRoute } from './connection.ts';
import type { IncomingMessageRow } from './ingestion-store.ts';
import { evictParsedMessage, cacheParsedMessage, type ParsedLabMessage } from './parsed-message-cache.ts';
import { createRouteFinder, type MessageListener, type RouteFinder } from './routing.ts';
import { judgeSender } from './judge-sender.ts';
import { digestMessage, sealBody, sealUnclaimed } from './message-sealing.ts';
import { createMessageWriter, type MessageWriter } from './message-writer.ts';
import { createUnclaimedWriter, type UnclaimedWriter } from './unclaimed-writer.ts';
import type { LabTransport } from './table.ts';

/** Received bytes with their transport. */
interface IncomingBytes {
  readonly bytes: Buffer;
  readonly format: LabFormat;
  readonly way: LabTransport;
  readonly flaw?: FrameDefect | undefined;
  readonly remoteAddress: string;
  readonly fingerprint: string | null;
  /** What identifies the connection: itself by a token or a folder, or the listener that heard the message. */
  readonly sender: LabRoute | MessageListener;
}

/** The result for one message. `id` is the id of the stored message; null if it was stored for no connection. */
export interface MessageReceipt {
  readonly head: MessageHead;
  readonly code: AckCode;
  readonly reason: string | null;
  readonly id: string | null;
}

interface MessageIngestion {
  readonly findRoute: RouteFinder;
  readonly keep: MessageWriter;
  readonly keepUnclaimed: UnclaimedWriter;
}

const ingestions = new WeakMap<App, MessageIngestion>();

/** One instance per process, so that messages of all transports are written in common batches. */
function getIngestion(app: App): MessageIngestion {
  const known = ingestions.get(app) ?? {
    findRoute: createRouteFinder(app.db),
    keep: createMessageWriter(app),
    keepUnclaimed: createUnclaimedWriter(app),
  };
  ingestions.set(app, known);
  return known;
}

/**
 * Stores every message in the bytes before it returns. AA: stored and readable. AE: stored but unreadable. AR: no
 * connection accepts it; it is kept for the operator. A job processes the reports later. A message that is received again is not stored again.
 */
export async function ingestMessages(app: App, arrived: IncomingBytes): Promise<MessageReceipt[]> {
  const { bytes, format, flaw } = arrived;
  const pieces = format === 'hl7' && flaw === undefined ? app.labWire.split(bytes) : [bytes];
  return Promise.all(pieces.map((piece) => ingestMessage(app, { ...arrived, bytes: piece })));
}

/** The HL7 acknowledgement of messages that were received together. */
export function acknowledge(app: App, receipts: readonly MessageReceipt[]): Buffer {
  const at = app.clock.now();
  const acks = receipts.map(({ head, code, reason }) =>
    app.labWire.acknowledge(head, { code, text: reason, id: makeAcknowledgementId(), at }),
  );
  return app.labWire.joinAcknowledgements(acks);
}

const ACK_ID_LENGTH = 20;
/** The end of an id is random; older HL7 versions allow 20 characters in MSH-10. */
const makeAcknowledgementId = () => newRandomId().replaceAll('-', '').slice(-ACK_ID_LENGTH).toUpperCase();

async function ingestMessage(app: App, arrived: IncomingBytes): Promise<MessageReceipt> {
  const head = app.labWire.readHead(arrived.bytes, arrived.format);
  const { findRoute } = getIngestion(app);
  const { sender } = arrived;
  const route = 'kind' in sender ? await findRoute(sender, head) : sender;
  const verdict = judgeSender({ ...arrived, head, route, now: app.clock.now() });
  if ('refusal' in verdict) return rejectUnclaimed(app, { arrived, head, route, ...verdict });
  return storeMessage(app, { arrived, head, route: verdict.route });
}

interface IncomingLabMessage {
  readonly arrived: Pick<
    IncomingBytes,
    'bytes' | 'format' | 'way' | 'flaw' | 'remoteAddress' | 'fingerprint'
  >;
  readonly head: MessageHead;
}

/** Stores the message as unclaimed in the deployment, where no team sees it, and answers AR. */
async function rejectUnclaimed(
  app: App,
  { arrived, head, route, refusal }: IncomingLabMessage & { route: LabRoute | undefined; refusal: string },
): Promise<MessageReceipt> {
  const { bytes, way, remoteAddress, fingerprint, flaw = null } = arrived;
  const now = app.clock.now();
  const row = {
    id: newId(),
    way,
    flaw,
    remote_address: remoteAddress,
    fingerprint,
    ...toPartyColumns(head),
    control_id: toStorableText(head.controlId),
    ...sealUnclaimed(app.keyring, bytes),
    size_bytes: bytes.length,
    reason: refusal,
    connection_id: route?.connectionId ?? null,
    created_at: now,
  };
  const isKept = await getIngestion(app).keepUnclaimed(row);
  app.log.warn(
    {
      way,
      remote_address: remoteAddress,
      connection_id: route?.connectionId,
      size_bytes: bytes.length,
      reason: refusal,
      is_kept: isKept,
    },
    'refused a laboratory message',
  );
  return { head, code: 'AR', reason: refusal, id: null };
}

/** Removes what PostgreSQL text cannot store: NUL and unpaired surrogates. */
const toStorableText = (text: string): string => Buffer.from(text.replaceAll('\u0000', '\uFFFD')).toString();

const toPartyColumns = (head: MessageHead) => ({
  lab_application: toStorableText(head.labApplication),
  lab_facility: toStorableText(head.labFacility),
  our_application: toStorableText(head.ourApplication),
  our_facility: toStorableText(head.ourFacility),
});

interface MessageVerdict {
  readonly code: AckCode;
  readonly reason: string | null;
  /** The parsed message, if it was parsed. */
  readonly reading?: ParsedLabMessage;
}

async function storeMessage(
  app: App,
  coming: IncomingLabMessage & { route: LabRoute },
): Promise<MessageReceipt> {
  const { head, route } = coming;
  const at = app.clock.now();
  const { reading, ...verdict } = judgeMessage(app, coming, at);
  const cipher = app.keyring.cachedCipherOf(route.tenant) ?? (await app.keyring.cipherOf(route.tenant));
  const row = toMessageRow({ ...coming, cipher, verdict }, { id: newId(), at });
  // Cache before storing: a job may process the message as soon as it is stored.
  if (reading) cacheParsedMessage(app, row.id, { ...reading, sizeBytes: row.size_bytes });
  const known = await getIngestion(app).keep(row);
  if (!known) return { head, ...verdict, id: row.id };
  evictParsedMessage(app, row.id);
  // If a retry has processed the message meanwhile, acknowledge it as readable.
  const isTaken = known.status === 'taken';
  return isTaken
    ? { head, code: 'AA', reason: null, id: known.id }
    : { head, code: known.answer ?? verdict.code, reason: known.reason, id: known.id };
}

/** The row of an unclaimed message as if it had been received by the connection at its arrival time. */
export async function toRowOfClaimed(
  app: App,
  { arrived, route }: { arrived: IncomingLabMessage['arrived']; route: LabRoute },
  came: { id: string; at: Date },
): Promise<IncomingMessageRow> {
  const coming = { arrived, head: app.labWire.readHead(arrived.bytes, arrived.format), route };
  const cipher = await app.keyring.cipherOf(route.tenant);
  return toMessageRow({ ...coming, cipher, verdict: judgeMessage(app, coming, came.at) }, came);
}

type JudgedLabMessage = IncomingLabMessage & {
  route: LabRoute;
  verdict: MessageVerdict;
  cipher: TenantCipher;
};

function toMessageRow(
  { arrived, head, route, verdict, cipher }: JudgedLabMessage,
  { id, at }: { id: string; at: Date },
): IncomingMessageRow {
  const { bytes, format, way } = arrived;
  return {
    ...tenantColumns(route.tenant),
    id,
    connection_id: route.connectionId,
    direction: 'in',
    format,
    way,
    status: verdict.code !== 'AA' ? 'dead' : isOrderResponse(head) ? 'taken' : 'stored',
    control_id: toStorableText(head.controlId),
    message_type: toStorableText(head.type),
    digest: digestMessage(cipher, bytes),
    size_bytes: bytes.length,
    body: sealBody(cipher, bytes),
    reason: verdict.reason,
    answer: verdict.code,
    due_at: null,
    order_id: null,
    kind: null,
    placer: null,
    created_at: at,
    done_at: null,
  };
}

/** Responses to our own orders on the inbound connection; the outbox has already received them. */
const isOrderResponse = ({ type }: MessageHead) => /^(ACK|ORR|ORL)(\^|$)/.test(type);

const FLAW_REASONS: Readonly<Record<FrameDefect, string>> = {
  truncated: 'The MLLP frame ended before its end block',
  unframed: 'The bytes have no MLLP start block',
  too_large: 'The message exceeds the size limit; only its beginning was stored',
};

/** Parses the message before it is acknowledged. */
function judgeMessage(
  app: App,
  { arrived, head, route }: IncomingLabMessage & { route: LabRoute },
  arrivedAt: Date,
): MessageVerdict {
  const { bytes, format, flaw } = arrived;
  if (flaw === 'too_large') return { code: 'AR', reason: FLAW_REASONS.too_large };
  if (flaw !== undefined) return { code: 'AE', reason: FLAW_REASONS[flaw] };
  if (route.tenant.environment === 'production' && /^[TD]$/i.test(head.processing)) {
    return { code: 'AE', reason: 'MSH-11 marks a test message, but the connection is in production' };
  }
  if (isOrderResponse(head)) return { code: 'AA', reason: null };
  try {
    const { lab, accountNumber, timeZone } = route;
    const at = { lab, accountNumber, timeZone, arrivedAt };
    return {
      code: 'AA',
      reason: null,
      reading: { at, reports: app.labWire.readReports({ bytes, format }, at) },
    };
  } catch (error) {
    return { code: 'AE', reason: describeReadError(app, error) };
  }
}

/** Why a message cannot be read, without patient data. */
export function describeReadError(app: App, error: unknown): string {
  if (error instanceof UnreadableMessageError) return error.message;
  if (error instanceof DomainError && error.kind === 'invalid') return describeInvalidFields(error.detail);
  app.log.error({ err: error }, 'internal error while reading a laboratory message');
  return 'The message could not be read';
}

const INVALID_FIELDS_MAX = 5;

/** The first invalid fields of a bundle. */
const describeInvalidFields = (detail: ErrorDetail): string =>
  Array.isArray(detail)
    ? detail
        .slice(0, INVALID_FIELDS_MAX)
        .map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
        .join('; ')
    : 'The bundle could not be read';
