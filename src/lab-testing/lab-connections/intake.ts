import type { App } from '../../app.ts';
import {
  UnreadableMessage,
  type AckCode,
  type Flaw,
  type LabFormat,
  type MessageHead,
} from '../../adapters/lab-network/port.ts';
import { DomainError, type Detail } from '../../platform/errors.ts';
import { newId, newRandomId } from '../../platform/ids.ts';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Route } from './connection.ts';
import type { ArrivedRow } from './intake-store.ts';
import { forgetReading, rememberReading, type Reading } from './readings.ts';
import { openRouting, type FindRoute } from './routing.ts';
import { digestOf, sealBody, sealUnclaimed } from './sealed.ts';
import { openStorage, type Keep } from './storing.ts';
import { openUnclaimed, type KeepUnclaimed } from './unclaimed.ts';
import type { Way } from './table.ts';

/** Bytes that somebody brought. */
export interface Arrived {
  readonly bytes: Buffer;
  readonly format: LabFormat;
  readonly way: Way;
  readonly flaw?: Flaw | undefined;
  readonly remoteAddress: string;
  readonly fingerprint: string | null;
  /** Whose they are, where the way tells it; else the parties of the message do. */
  readonly route?: Route;
}

/** What became of one message. `id` is that of the message as it is kept; null where nobody's connection has it. */
export interface Receipt {
  readonly head: MessageHead;
  readonly code: AckCode;
  readonly reason: string | null;
  readonly id: string | null;
}

interface Intake {
  readonly findRoute: FindRoute;
  readonly keep: Keep;
  readonly keepUnclaimed: KeepUnclaimed;
}

const intakes = new WeakMap<App, Intake>();

/** One for the process, so that what comes by all ways at once is written together. */
function intakeOf(app: App): Intake {
  const known = intakes.get(app) ?? {
    findRoute: openRouting(app.db),
    keep: openStorage(app),
    keepUnclaimed: openUnclaimed(app),
  };
  intakes.set(app, known);
  return known;
}

/**
 * Keeps every message in the bytes, and only then answers: AA where it was read, AE where it is kept but could not
 * be, AR where nobody's connection wants it. The reports in it are taken later, by a job.
 */
export async function takeIn(app: App, arrived: Arrived): Promise<Receipt[]> {
  const { bytes, format, flaw } = arrived;
  const pieces = format === 'hl7' && flaw === undefined ? app.labWire.split(bytes) : [bytes];
  return Promise.all(pieces.map((piece) => takeOne(app, { ...arrived, bytes: piece })));
}

/** The acknowledgement of what came together, in the laboratory's language. */
export function acknowledge(app: App, receipts: readonly Receipt[]): Buffer {
  const at = app.clock.now();
  const acks = receipts.map(({ head, code, reason }) =>
    app.labWire.acknowledge(head, { code, text: reason, id: ackId(), at }),
  );
  return app.labWire.joinAcknowledgements(acks);
}

const ACK_ID_LENGTH = 20;
/** The end of an id is its random part; older versions have room for 20 characters. */
const ackId = () => newRandomId().replaceAll('-', '').slice(-ACK_ID_LENGTH).toUpperCase();

async function takeOne(app: App, arrived: Arrived): Promise<Receipt> {
  const head = app.labWire.headOf(arrived.bytes, arrived.format);
  const route = arrived.route ?? (head.isMessage ? await intakeOf(app).findRoute(head) : undefined);
  const stranger = strangerOf(arrived, head, route);
  if (!route || stranger !== undefined) return refuse(app, { arrived, head, reason: stranger ?? UNKNOWN });
  return keep(app, { arrived, head, route });
}

const UNKNOWN = 'No connection is known between the parties of MSH-3 to MSH-6';

/** Why a message is not heard although its parties may be known. */
function strangerOf({ way, fingerprint }: Arrived, head: MessageHead, route: Route | undefined) {
  if (!head.isMessage && !route) return 'The message does not begin with MSH';
  const wanted = way === 'mllp' ? route?.clientFingerprint : undefined;
  const isOther = wanted != null && wanted !== fingerprint;
  return isOther ? 'The connection expects another client certificate' : undefined;
}

interface Coming {
  readonly arrived: Pick<Arrived, 'bytes' | 'format' | 'way' | 'flaw' | 'remoteAddress' | 'fingerprint'>;
  readonly head: MessageHead;
}

/** Nobody's message is kept in a list of the deployment, and the sender is told. */
async function refuse(app: App, { arrived, head, reason }: Coming & { reason: string }): Promise<Receipt> {
  const { bytes, way, remoteAddress, fingerprint, flaw = null } = arrived;
  const now = app.clock.now();
  const row = {
    id: newId(),
    way,
    flaw,
    remote_address: remoteAddress,
    fingerprint,
    ...partyColumns(head),
    control_id: storable(head.controlId),
    ...sealUnclaimed(app.keyring, bytes),
    size_bytes: bytes.length,
    reason,
    created_at: now,
  };
  const isKept = await intakeOf(app).keepUnclaimed(row);
  app.log.warn(
    { way, remote_address: remoteAddress, size_bytes: bytes.length, reason, is_kept: isKept },
    'a laboratory message of nobody',
  );
  return { head, code: 'AR', reason, id: null };
}

/** What the database can hold: no NUL, and no half of a surrogate pair. */
const storable = (text: string): string => Buffer.from(text.replaceAll('\u0000', '\uFFFD')).toString();

const partyColumns = (head: MessageHead) => ({
  lab_application: storable(head.labApplication),
  lab_facility: storable(head.labFacility),
  our_application: storable(head.ourApplication),
  our_facility: storable(head.ourFacility),
});

interface Verdict {
  readonly code: AckCode;
  readonly reason: string | null;
  /** What was read, where there was something to be read. */
  readonly reading?: Reading;
}

async function keep(app: App, coming: Coming & { route: Route }): Promise<Receipt> {
  const { head, route } = coming;
  const at = app.clock.now();
  const { reading, ...verdict } = verdictOn(app, coming, at);
  const cipher = app.keyring.atHand(route.tenant) ?? (await app.keyring.of(route.tenant));
  const row = rowOf({ ...coming, cipher, verdict }, { id: newId(), at });
  // Before it is kept: it may be taken as soon as it is.
  if (reading) rememberReading(app, row.id, { ...reading, sizeBytes: row.size_bytes });
  const known = await intakeOf(app).keep(row);
  if (!known) return { head, ...verdict, id: row.id };
  forgetReading(app, row.id);
  // What was tried again with success meanwhile is a success for the sender, too.
  const isTaken = known.status === 'taken';
  return isTaken
    ? { head, code: 'AA', reason: null, id: known.id }
    : { head, code: known.answer ?? verdict.code, reason: known.reason, id: known.id };
}

/** A message of nobody as that of a connection: what it would have been, had it come by it at that moment. */
export async function rowOfClaimed(
  app: App,
  { arrived, route }: { arrived: Coming['arrived']; route: Route },
  came: { id: string; at: Date },
): Promise<ArrivedRow> {
  const coming = { arrived, head: app.labWire.headOf(arrived.bytes, arrived.format), route };
  const cipher = await app.keyring.of(route.tenant);
  return rowOf({ ...coming, cipher, verdict: verdictOn(app, coming, came.at) }, came);
}

type Judged = Coming & { route: Route; verdict: Verdict; cipher: TenantCipher };

function rowOf(
  { arrived, head, route, verdict, cipher }: Judged,
  { id, at }: { id: string; at: Date },
): ArrivedRow {
  const { bytes, format, way } = arrived;
  return {
    ...tenantColumns(route.tenant),
    id,
    connection_id: route.connectionId,
    direction: 'in',
    format,
    way,
    status: verdict.code !== 'AA' ? 'dead' : isAnswer(head) ? 'taken' : 'stored',
    control_id: storable(head.controlId),
    message_type: storable(head.type),
    digest: digestOf(cipher, bytes),
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

/** Answers to our own orders on a line of their own; the outbox has them by then. */
const isAnswer = ({ type }: MessageHead) => /^(ACK|ORR|ORL)(\^|$)/.test(type);

const FLAWS: Readonly<Record<Flaw, string>> = {
  truncated: 'The frame ended before its end block',
  unframed: 'The bytes came without the start block of a frame',
  too_large: 'The message is larger than this service takes; only its beginning was kept',
};

/** Whether the message can be read, found out before it is acknowledged. */
function verdictOn(app: App, { arrived, head, route }: Coming & { route: Route }, arrivedAt: Date): Verdict {
  const { bytes, format, flaw } = arrived;
  if (flaw === 'too_large') return { code: 'AR', reason: FLAWS.too_large };
  if (flaw !== undefined) return { code: 'AE', reason: FLAWS[flaw] };
  if (route.tenant.environment === 'production' && /^[TD]$/i.test(head.processing)) {
    return { code: 'AE', reason: 'MSH-11 says that it is a test, and the connection is one of production' };
  }
  if (isAnswer(head)) return { code: 'AA', reason: null };
  try {
    const { lab, accountNumber, timeZone } = route;
    const at = { lab, accountNumber, timeZone, arrivedAt };
    return { code: 'AA', reason: null, reading: { at, reports: app.labWire.read({ bytes, format }, at) } };
  } catch (error) {
    return { code: 'AE', reason: unreadable(app, error) };
  }
}

/** Why it cannot be read, in words that tell nothing of the person. */
export function unreadable(app: App, error: unknown): string {
  if (error instanceof UnreadableMessage) return error.message;
  if (error instanceof DomainError && error.kind === 'invalid') return faultsIn(error.detail);
  app.log.error({ err: error }, 'a laboratory message could not be read for a fault of ours');
  return 'The message could not be read';
}

const FAULTS_MAX = 5;

/** The wrong places of a bundle, the first of them. */
const faultsIn = (detail: Detail): string =>
  Array.isArray(detail)
    ? detail
        .slice(0, FAULTS_MAX)
        .map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
        .join('; ')
    : 'The bundle could not be read';
