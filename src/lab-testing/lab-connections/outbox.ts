import { inTenant, readTenant, type Work } from '../../app.ts';
import type {
  LabAnswer,
  LabOutbox,
  LabWire,
  OutgoingOrder,
  RequisitionName,
  TlsMaterial,
} from '../../adapters/lab-network/port.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Platform } from '../../platform/work.ts';
import { partiesOf, type ConnectionRow } from './connection.ts';
import { findConnection, listOutgoing } from './connection-store.ts';
import { dropFile, openFolder } from './folder.ts';
import * as store from './message-store.ts';
import { reachable } from './reach.ts';
import { digestOf, sealBody } from './sealed.ts';
import { openTls } from './tls.ts';

interface Outbox {
  readonly platform: Platform;
  readonly wire: Pick<LabWire, 'send'>;
}

/** A message as it is about to be sent. */
interface Ready {
  readonly id: string;
  readonly connection: ConnectionRow;
  readonly tls: TlsMaterial;
  readonly controlId: string;
  readonly bytes: Buffer;
}

/** Orders on their way to laboratories. */
export function openOutbox(platform: Platform, wire: Pick<LabWire, 'send'>): LabOutbox {
  return {
    deliver: (order) => deliver({ platform, wire }, order),
    wasPlaced: (requisition) => wasPlaced(platform, requisition),
  };
}

/** Refused ones are not there to be taken back; of a queued one nobody knows whether the laboratory has it. */
const wasPlaced = (platform: Platform, { tenant, orderId }: RequisitionName): Promise<boolean> =>
  readTenant(platform, tenant, async (work) => {
    const message = await store.findOrderMessage(work, { orderId, kind: 'new' });
    return message !== undefined && message.status !== 'refused';
  });

async function deliver({ platform, wire }: Outbox, order: OutgoingOrder): Promise<void> {
  const { tenant } = order.requisition;
  const ready = await inTenant(platform, tenant, (work) => prepare(work, order));
  if (!ready) return;
  const answer = await send({ platform, wire }, ready).catch(async (error: unknown) => {
    const reason = `The laboratory could not be reached: ${told(error)}`;
    await inTenant(platform, tenant, (work) => store.noteTry(work, ready.id, reason));
    throw new DomainError('unavailable', reason);
  });
  await inTenant(platform, tenant, (work) => record(work, ready.id, answer));
  if (answer.code !== 'AA') throw refusal(order, answer.text);
}

/** A requisition may be wanted after all, when what the laboratory says is mended; a cancellation is answered with it. */
function refusal({ kind }: OutgoingOrder, text: string | null): DomainError {
  const [what, error] =
    kind === 'new' ? (['requisition', 'unavailable'] as const) : (['cancellation', 'conflict'] as const);
  return new DomainError(error, `The laboratory refused the ${what}${text === null ? '' : `: ${text}`}`);
}

const told = (error: unknown): string =>
  (error instanceof DomainError
    ? String(error.detail)
    : error instanceof Error
      ? error.message
      : String(error)
  )
    .replace(/\s+/g, ' ')
    .slice(0, TOLD_MAX);
const TOLD_MAX = 200;

/** The message, kept under its control id before it leaves; undefined when the laboratory has it already. */
async function prepare(work: Work, order: OutgoingOrder): Promise<Ready | undefined> {
  const known = await knownMessage(work, order);
  const overtook = known !== undefined && (await mayHaveOvertaken(work, known));
  if (known?.status === 'accepted' && !overtook) return undefined;
  if (known?.status === 'refused' && !overtook) throw refusal(order, known.reason);
  const connection = known
    ? ((await findConnection(work, known.connection_id)) ?? (await lineFor(work, order)))
    : await lineFor(work, order);
  const controlId = overtook ? nextName(known.control_id) : (known?.control_id ?? firstName(order));
  const message = compose(work, connection, { order, controlId });
  const tls = openTls(work.cipher, connection.tls_material);
  const id = known?.id ?? (await store.insertOutgoing(work, message.row));
  // Somebody else is at it at this moment.
  if (id === undefined) throw new DomainError('unavailable', 'The requisition is being sent already');
  const { body, size_bytes } = message.row;
  if (overtook) store.renewMessage(work, id, message.row);
  else if (known) store.changeMessage(work, id, { body, size_bytes });
  return { id, connection, tls, controlId, bytes: message.bytes };
}

function knownMessage(work: Work, order: OutgoingOrder): Promise<store.MessageRow | undefined> {
  const { orderId, erasedFrom: connectionId } = order.requisition;
  if (connectionId === undefined) return store.findOrderMessage(work, { orderId, kind: order.kind });
  return store.findCancellation(work, { connectionId, controlId: firstName(order) });
}

/**
 * Whether this is a cancellation that was answered, but had left before the laboratory had taken the order: it may
 * have found nothing there, and has to be told again.
 */
async function mayHaveOvertaken(work: Work, message: store.MessageRow): Promise<boolean> {
  if (message.kind !== 'cancel' || message.order_id === null || message.status === 'queued') return false;
  const placed = await store.findOrderMessage(work, { orderId: message.order_id, kind: 'new' });
  return placed !== undefined && (placed.done_at === null || message.created_at <= placed.done_at);
}

/** What is erased may have been taken back before, under a name that nobody knows any more. */
const firstName = ({ placer, kind, requisition: { erasedFrom } }: OutgoingOrder): string =>
  `${placer}${kind === 'new' ? 'N' : erasedFrom === undefined ? 'C' : 'E'}`;

/** `...C`, `...C2`, `...C3`: under the name that it had before, a laboratory would take it for a repetition. */
const nextName = (controlId: string): string =>
  controlId.replace(/C(\d*)$/, (_, told: string) => `C${Number(told || 1) + 1}`);

/** By the laboratory's account where a line has one of its own, else by the line without one. */
async function lineFor(work: Work, order: OutgoingOrder): Promise<ConnectionRow> {
  const { lab, orderId, erasedFrom } = order.requisition;
  const went = erasedFrom === undefined ? undefined : await findConnection(work, erasedFrom);
  if (went) return went;
  if (order.kind === 'cancel') {
    const placed = await store.findOrderMessage(work, { orderId, kind: 'new' });
    const same = placed && (await findConnection(work, placed.connection_id));
    if (same) return same;
  }
  const lines = await listOutgoing(work, lab);
  const line =
    lines.find(({ account_number: account }) => account !== null && account === order.accountNumber) ??
    lines.find(({ account_number: account }) => account === null) ??
    (order.accountNumber === null ? lines[0] : undefined);
  if (line) return line;
  const where = `in ${work.tenant.environment}`;
  throw new DomainError('unavailable', `No connection to the laboratory ${lab} takes this order ${where}`);
}

function compose(
  work: Work,
  connection: ConnectionRow,
  { order, controlId }: { order: OutgoingOrder; controlId: string },
): { row: store.OutgoingMessage; bytes: Buffer } {
  const bytes = order.write({
    ...partiesOf(connection),
    controlId,
    placer: order.placer,
    messageType: connection.order_message,
    accountNumber: connection.account_number,
    processing: work.tenant.environment === 'production' ? 'P' : 'T',
    at: work.now,
  });
  const row: store.OutgoingMessage = {
    connection_id: connection.id,
    way: connection.outbound === 'folder' ? 'folder' : 'mllp',
    control_id: controlId,
    message_type: connection.order_message.replace('_', '^'),
    digest: digestOf(work.cipher, bytes),
    size_bytes: bytes.length,
    body: sealBody(work.cipher, bytes),
    order_id: order.requisition.erasedFrom === undefined ? order.requisition.orderId : null,
    kind: order.kind,
    placer: order.placer,
  };
  return { row, bytes };
}

async function send({ platform, wire }: Outbox, ready: Ready): Promise<LabAnswer> {
  const { connection, bytes, controlId } = ready;
  if (connection.outbound === 'folder') return toFolder(platform, ready);
  const { host, port, uses_tls: usesTls, environment } = connection;
  if (host === null || port === null) throw new DomainError('unavailable', 'The connection names no host');
  const name = environment === 'production' ? 'production' : 'sandbox';
  const addresses = await reachable(platform.config, name, { host, usesTls });
  const target = { host, port, addresses, tls: usesTls ? ready.tls : undefined };
  return wire.send(target, { bytes, controlId });
}

/** A file that lies there is with the laboratory. */
async function toFolder({ config }: Platform, { connection, bytes, controlId }: Ready): Promise<LabAnswer> {
  if (config.LAB_FOLDERS === undefined) throw new DomainError('unavailable', 'LAB_FOLDERS is not set');
  const { out } = await openFolder(config.LAB_FOLDERS, connection.id);
  await dropFile(out, `${controlId}.hl7`, bytes);
  return { code: 'AA', text: null };
}

async function record(work: Work, id: string, { code, text }: LabAnswer): Promise<void> {
  store.changeMessage(work, id, {
    status: code === 'AA' ? 'accepted' : 'refused',
    answer: code,
    reason: text,
    done_at: work.now,
  });
}
