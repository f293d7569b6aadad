import type { ReadingAt, ReceivedReport } from '../../adapters/lab-network/port.ts';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { HOUR, later, MINUTE } from '../../platform/clock.ts';
import { DomainError, found } from '../../platform/errors.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { takeReport } from '../incoming-results/incoming-results.ts';
import type { ConnectionRow } from './connection.ts';
import { findConnectionOf } from './connection-store.ts';
import { unreadable } from './intake.ts';
import { lanesOf } from './lanes.ts';
import * as store from './message-store.ts';
import { recallReading } from './readings.ts';
import { openBody } from './sealed.ts';
import { enqueueTaking, takingJob } from './taking-job.ts';

const TOGETHER = 40;
const ROUNDS = 20;
const TRIES = 8;
const WAITS_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR];
const LONGEST_MS = 6 * HOUR;

/** The message whose turn it is when they are taken one by one, known also when the work fails. */
interface Turn {
  message?: store.WaitingMessage;
}

/**
 * Takes the reports out of the messages of a connection: those about one order in the order in which they came, so that
 * a correction does not overtake what it corrects; several in one transaction, and one by one where that fails, so
 * that one that cannot be taken holds up none. Where it ends in the middle, what was not committed waits as before.
 */
export const takeMessages: Job<App, { connection_id: string }> = defineJob({
  ...takingJob,
  async run(app, tenant, { connection_id: connectionId }) {
    for (let round = 0; round < ROUNDS; round += 1) {
      const taken = await inTenant(app, tenant, (work) =>
        takeSome(app, work, { connectionId, limit: TOGETHER, turn: {} }),
      ).catch((error: unknown) => {
        if (isPassing(error)) throw error;
        return takeOne(app, tenant, connectionId);
      });
      if (taken === 0) return;
    }
    // A job that never ends would hold up a stop, and the messages of others.
    await inTenant(app, tenant, ({ tx }) => enqueueTaking(tx, tenant, connectionId));
  },
});

async function takeOne(app: App, tenant: Tenant, connectionId: string): Promise<number> {
  const turn: Turn = {};
  try {
    return await inTenant(app, tenant, (work) => takeSome(app, work, { connectionId, limit: 1, turn }));
  } catch (error) {
    const { message } = turn;
    if (isPassing(error) || !message) throw error;
    app.log.error({ team_id: tenant.teamId, message_id: message.id, err: error }, 'reports were not taken');
    await inTenant(app, tenant, (work) => hinder(work, message));
    return 1;
  }
}

/** The database is away: the queue tries the whole again, and the message is not to blame. */
const isPassing = (error: unknown) => error instanceof DomainError && error.kind === 'unavailable';

interface Some {
  readonly connectionId: string;
  readonly limit: number;
  readonly turn: Turn;
}

async function takeSome(app: App, work: Work, { connectionId, limit, turn }: Some): Promise<number> {
  await store.lockTaking(work, connectionId);
  const [connection, waiting] = await Promise.all([
    findConnectionOf(work, { connection_id: connectionId }),
    store.listWaiting(work, connectionId, limit),
  ]);
  if (waiting[0]) turn.message = waiting[0];
  const readable = await readAll(app, work, { waiting, connection });
  const placed = await store.findPlaced(work, [...new Set(readable.flatMap(samplesIn))]);
  const named = readable.map((one) => ({
    ...one,
    reports: one.reports.map((report) => byPlacer(report, placed)),
  }));
  // The statements of several lanes share their round trips. All lanes end before the transaction does.
  const taken: store.TakenMessage[] = [];
  const lanes = await Promise.allSettled(
    lanesOf(named).map(async (lane) => {
      for (const message of lane) taken.push(await take(work, message));
    }),
  );
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
  if (taken.length > 0) await store.markTaken(work, taken);
  return waiting.length;
}

/** A message with the reports in it. */
interface Readable {
  readonly message: store.WaitingMessage;
  readonly reports: readonly ReceivedReport[];
}

interface Taking {
  readonly waiting: readonly store.WaitingMessage[];
  readonly connection: ConnectionRow;
}

/** What each of the messages says: as it was read when it came, or from its body. */
async function readAll(app: App, work: Work, { waiting, connection }: Taking): Promise<Readable[]> {
  const { lab, account_number: accountNumber, time_zone: timeZone } = connection;
  const messages = waiting.map((message) => {
    const at = { lab, accountNumber, timeZone, arrivedAt: message.created_at };
    return { message, at, known: recallReading(app, message.id, at) };
  });
  const unknown = messages.filter(({ known }) => known === undefined);
  const bodies = await store.readBodies(
    work,
    unknown.map(({ message }) => message.id),
  );
  return messages.flatMap(({ message, at, known }) => {
    if (known) return [{ message, reports: known }];
    return readableOf(app, work, { message, at, body: found(bodies.get(message.id), 'Lab message') });
  });
}

interface Unread {
  readonly message: store.WaitingMessage;
  readonly at: ReadingAt;
  readonly body: Buffer;
}

/** One that cannot be read is a dead letter, and none. */
function readableOf(app: App, work: Work, { message, at, body }: Unread): Readable[] {
  const bytes = openBody(work.cipher, body);
  try {
    return [{ message, reports: app.labWire.read({ bytes, format: message.format }, at) }];
  } catch (error) {
    const reason = unreadable(app, error);
    store.changeMessage(work, message.id, { status: 'dead', done_at: work.now, reason });
    return [];
  }
}

const samplesIn = ({ reports }: Readable): string[] => reports.flatMap(({ sampleIds }) => [...sampleIds]);

/** A report that answers one of our requisitions is about its order, whatever else it says. */
function byPlacer(report: ReceivedReport, placed: ReadonlyMap<string, string>): ReceivedReport {
  const ours = report.sampleIds.map((id) => placed.get(id)).find((id) => id !== undefined);
  return ours === undefined ? report : { ...report, placerOrderId: ours };
}

async function take(work: Work, { message, reports }: Readable): Promise<store.TakenMessage> {
  const orders = new Set<string | null>();
  for (const report of reports) {
    const taken = await takeReport(work, report, { messageId: message.id });
    orders.add(taken.outcome === 'attached' ? taken.orderId : null);
  }
  const [order, ...others] = orders;
  return { id: message.id, orderId: others.length === 0 ? (order ?? null) : null };
}

/** Puts a message off; after many tries it is dead until somebody has it tried again. */
async function hinder(work: Work, message: store.WaitingMessage): Promise<void> {
  const { id, connection_id, attempts } = message;
  const tried = attempts + 1;
  const reason = 'The reports in it could not be taken; the log says why';
  if (tried >= TRIES) {
    await store.putOff(work, message, { status: 'dead', reason, attempts: tried, done_at: work.now });
    return;
  }
  const dueAt = later(work.now, WAITS_MS[attempts] ?? LONGEST_MS);
  if (!(await store.putOff(work, message, { reason, attempts: tried, due_at: dueAt }))) return;
  await setTimer(work, takingJob, { key: id, dueAt, input: { connection_id } });
}
