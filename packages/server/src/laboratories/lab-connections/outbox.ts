import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { inTenant, readTenant, type Work } from '../../app.ts';
import type {
  ReceivedAcknowledgement,
  LabOutbox,
  LabProtocol,
  OutgoingOrder,
  RequisitionReference,
  TlsMaterial,
} from '../../adapters/lab-network/port.ts';
import { DomainError } from '../../platform/errors.ts';
import { runInSpan } from '../../platform/telemetry/telemetry.ts';
import type { Platform } from '../../platform/work.ts';
import { toParties, type LabConnectionRow } from './connection.ts';
import { findConnection, listOutboundConnections } from './connection-store.ts';
import { writeFileAtomically, openConnectionFolder } from './folder.ts';
import * as store from './message-store.ts';
import { resolveReachableHost } from './reachable-host.ts';
import { digestMessage, sealBody } from './message-sealing.ts';
import { openTls } from './tls.ts';

interface OutboxDependencies {
  readonly platform: Platform;
  readonly wire: Pick<LabProtocol, 'send'>;
}

/** A stored message that is ready to be sent. */
interface PreparedMessage {
  readonly id: string;
  readonly connection: LabConnectionRow;
  readonly tls: TlsMaterial;
  readonly controlId: string;
  readonly bytes: Buffer;
}

/**
 * Sends orders and cancellations to laboratories. A message is stored under a control id before it is sent, and
 * repeated attempts use the same control id, so that the laboratory recognizes repeats. Network errors are
 * `unavailable`.
 */
export function openOutbox(platform: Platform, wire: Pick<LabProtocol, 'send'>): LabOutbox {
  return {
    deliver: (order) => deliverOrder({ platform, wire }, order),
    wasPlaced: (requisition) => wasPlaced(platform, requisition),
  };
}

/** Refused orders need no cancellation; a queued one counts as placed, since the laboratory may have received it. */
const wasPlaced = (platform: Platform, { tenant, orderId }: RequisitionReference): Promise<boolean> =>
  readTenant(platform, tenant, async (work) => {
    const message = await store.findOrderMessage(work, { orderId, kind: 'new' });
    return message !== undefined && message.status !== 'refused';
  });

async function deliverOrder({ platform, wire }: OutboxDependencies, order: OutgoingOrder): Promise<void> {
  const { tenant } = order.requisition;
  const ready = await inTenant(platform, tenant, (work) => prepareMessage(work, order));
  if (!ready) return;
  const answer = await sendMessage({ platform, wire }, ready).catch(async (error: unknown) => {
    const reason = `The laboratory could not be reached: ${describeError(error)}`;
    await inTenant(platform, tenant, (work) => store.recordSendAttempt(work, ready.id, reason));
    throw new DomainError('unavailable', reason);
  });
  await inTenant(platform, tenant, (work) => recordAnswer(work, ready.id, answer));
  if (answer.code !== 'AA') throw toRefusalError(order, answer.text);
}

/** A refused requisition may succeed after a fix, so it is `unavailable`; a refused cancellation is a `conflict`. */
function toRefusalError({ kind }: OutgoingOrder, text: string | null): DomainError {
  const [what, error] =
    kind === 'new' ? (['requisition', 'unavailable'] as const) : (['cancellation', 'conflict'] as const);
  return new DomainError(error, `The laboratory refused the ${what}${text === null ? '' : `: ${text}`}`);
}

const describeError = (error: unknown): string =>
  (error instanceof DomainError
    ? String(error.detail)
    : error instanceof Error
      ? error.message
      : String(error)
  )
    .replace(/\s+/g, ' ')
    .slice(0, ERROR_CHARACTERS_MAX);
const ERROR_CHARACTERS_MAX = 200;

/** Stores the message under its control id; undefined if the laboratory has already accepted it. */
async function prepareMessage(work: Work, order: OutgoingOrder): Promise<PreparedMessage | undefined> {
  const known = await findKnownMessage(work, order);
  const overtook = known !== undefined && (await mayHaveOvertaken(work, known));
  if (known?.status === 'accepted' && !overtook) return undefined;
  if (known?.status === 'refused' && !overtook) throw toRefusalError(order, known.reason);
  const connection = known
    ? ((await findConnection(work, known.connection_id)) ?? (await selectConnection(work, order)))
    : await selectConnection(work, order);
  const controlId = overtook ? nextControlId(known.control_id) : (known?.control_id ?? makeControlId(order));
  const message = composeMessage(work, connection, { order, controlId });
  const tls = openTls(work.cipher, connection.tls_material);
  const id = known?.id ?? (await store.insertOutgoingMessage(work, message.row));
  // A concurrent worker is sending it.
  if (id === undefined) throw new DomainError('unavailable', 'The requisition is already being sent');
  const { body, size_bytes } = message.row;
  if (overtook) store.replaceMessage(work, id, message.row);
  else if (known) store.changeMessage(work, id, { body, size_bytes });
  return { id, connection, tls, controlId, bytes: message.bytes };
}

function findKnownMessage(work: Work, order: OutgoingOrder): Promise<store.LabMessageRow | undefined> {
  const { orderId, erasedFrom: connectionId } = order.requisition;
  if (connectionId === undefined) return store.findOrderMessage(work, { orderId, kind: order.kind });
  return store.findCancellation(work, { connectionId, controlId: makeControlId(order) });
}

/**
 * Whether this is an answered cancellation that was sent before the laboratory had accepted the order. The laboratory
 * may not have found the order, so the cancellation must be sent again.
 */
async function mayHaveOvertaken(work: Work, message: store.LabMessageRow): Promise<boolean> {
  if (message.kind !== 'cancel' || message.order_id === null || message.status === 'queued') return false;
  const placed = await store.findOrderMessage(work, { orderId: message.order_id, kind: 'new' });
  return placed !== undefined && (placed.done_at === null || message.created_at <= placed.done_at);
}

/** Suffix N: new order. C: cancellation. E: cancellation after an erasure, when earlier control ids are unknown. */
const makeControlId = ({ placer, kind, requisition: { erasedFrom } }: OutgoingOrder): string =>
  `${placer}${kind === 'new' ? 'N' : erasedFrom === undefined ? 'C' : 'E'}`;

/** `...C`, `...C2`, `...C3`: with the same control id, the laboratory would treat it as a repeat. */
const nextControlId = (controlId: string): string =>
  controlId.replace(/C(\d*)$/, (_, told: string) => `C${Number(told || 1) + 1}`);

/** The connection with the order's account number, else one without an account number. */
async function selectConnection(work: Work, order: OutgoingOrder): Promise<LabConnectionRow> {
  const { lab, orderId, erasedFrom } = order.requisition;
  const went = erasedFrom === undefined ? undefined : await findConnection(work, erasedFrom);
  if (went) return went;
  if (order.kind === 'cancel') {
    const placed = await store.findOrderMessage(work, { orderId, kind: 'new' });
    const same = placed && (await findConnection(work, placed.connection_id));
    if (same) return same;
  }
  const lines = await listOutboundConnections(work, lab);
  const line =
    lines.find(({ account_number: account }) => account !== null && account === order.accountNumber) ??
    lines.find(({ account_number: account }) => account === null) ??
    (order.accountNumber === null ? lines[0] : undefined);
  if (line) return line;
  const where = `in ${work.tenant.environment}`;
  throw new DomainError('unavailable', `No enabled connection to ${lab} accepts this order ${where}`);
}

function composeMessage(
  work: Work,
  connection: LabConnectionRow,
  { order, controlId }: { order: OutgoingOrder; controlId: string },
): { row: store.OutgoingMessage; bytes: Buffer } {
  const bytes = order.write({
    ...toParties(connection),
    controlId,
    placer: order.placer,
    messageType: connection.order_message,
    characterSet: connection.character_set,
    accountNumber: connection.account_number,
    processing: work.tenant.environment === 'production' ? 'P' : 'T',
    at: work.now,
  });
  const row: store.OutgoingMessage = {
    connection_id: connection.id,
    way: connection.outbound === 'folder' ? 'folder' : 'mllp',
    control_id: controlId,
    message_type: connection.order_message.replace('_', '^'),
    digest: digestMessage(work.cipher, bytes),
    size_bytes: bytes.length,
    body: sealBody(work.cipher, bytes),
    order_id: order.requisition.erasedFrom === undefined ? order.requisition.orderId : null,
    kind: order.kind,
    placer: order.placer,
  };
  return { row, bytes };
}

async function sendMessage(
  { platform, wire }: OutboxDependencies,
  ready: PreparedMessage,
): Promise<ReceivedAcknowledgement> {
  const { connection, bytes, controlId } = ready;
  if (connection.outbound === 'folder') return writeToFolder(platform, ready);
  const { host, port, uses_tls: usesTls, environment } = connection;
  if (host === null || port === null)
    throw new DomainError('unavailable', 'The connection has no host or port');
  const name = environment === 'production' ? 'production' : 'sandbox';
  const addresses = await resolveReachableHost(platform.config, name, { host, usesTls });
  const target = { host, port, addresses, tls: usesTls ? ready.tls : undefined };
  return runInSpan(platform.telemetry, sendSpanOf(target), async (span) => {
    const answer = await wire.send(target, { bytes, controlId });
    span?.setAttribute('aliquot.acknowledgement', answer.code);
    if (answer.code !== 'AA') span?.setStatus({ code: SpanStatusCode.ERROR });
    return answer;
  });
}

const sendSpanOf = ({ host, port }: { host: string; port: number }) => ({
  name: 'MLLP send',
  kind: SpanKind.CLIENT,
  attributes: { 'network.protocol.name': 'mllp', 'server.address': host, 'server.port': port },
});

/** A written file counts as delivered and accepted. */
async function writeToFolder(
  { config }: Platform,
  { connection, bytes, controlId }: PreparedMessage,
): Promise<ReceivedAcknowledgement> {
  if (config.LAB_FOLDERS === undefined) throw new DomainError('unavailable', 'LAB_FOLDERS is not set');
  const { out } = await openConnectionFolder(config.LAB_FOLDERS, connection.id);
  await writeFileAtomically(out, `${controlId}.hl7`, bytes);
  return { code: 'AA', text: null };
}

async function recordAnswer(work: Work, id: string, { code, text }: ReceivedAcknowledgement): Promise<void> {
  store.changeMessage(work, id, {
    status: code === 'AA' ? 'accepted' : 'refused',
    answer: code,
    reason: text,
    done_at: work.now,
  });
}
