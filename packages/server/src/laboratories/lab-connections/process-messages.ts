import type { ReportReadContext, ReceivedReport } from '../../adapters/lab-network/port.ts';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { HOUR, later, MINUTE } from '../../platform/clock.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { receiveReport } from '../incoming-results/incoming-results.ts';
import type { LabConnectionRow } from './connection.ts';
import { findConnectionOfMessage } from './connection-store.ts';
import { describeReadError } from './ingestion.ts';
import { groupIntoLanes } from './lanes.ts';
import * as store from './message-store.ts';
import { takeParsedMessage } from './parsed-message-cache.ts';
import { openBody } from './message-sealing.ts';
import { enqueueProcessing, processingJob } from './processing-job.ts';

const BATCH_SIZE = 40;
const BATCHES_PER_RUN = 20;
const ATTEMPTS_MAX = 8;
const RETRY_DELAYS_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR];
const RETRY_DELAY_MAX_MS = 6 * HOUR;

/** The message in progress when messages are processed one by one; still known after a failure. */
interface CurrentMessage {
  message?: store.WaitingMessage;
}

/**
 * Processes the reports in the messages of a connection. Messages about one order are processed in the order of
 * arrival, so that a correction never overtakes what it corrects. A batch is one transaction; if it fails, messages are
 * processed one by one, so that a failing one does not block the others. After a crash, uncommitted messages are still
 * waiting.
 */
export const processMessages: Job<App, { connection_id: string }> = defineJob({
  ...processingJob,
  async run(app, tenant, { connection_id: connectionId }) {
    for (let round = 0; round < BATCHES_PER_RUN; round += 1) {
      const taken = await inTenant(app, tenant, (work) =>
        processBatch(app, work, { connectionId, limit: BATCH_SIZE, turn: {} }),
      ).catch((error: unknown) => {
        if (isTransient(error)) throw error;
        return processOne(app, tenant, connectionId);
      });
      if (taken === 0) return;
    }
    // Continue in a new job: an endless one would delay shutdown and the messages of other connections.
    await inTenant(app, tenant, ({ tx }) => enqueueProcessing(tx, tenant, connectionId));
  },
});

async function processOne(app: App, tenant: Tenant, connectionId: string): Promise<number> {
  const turn: CurrentMessage = {};
  try {
    return await inTenant(app, tenant, (work) => processBatch(app, work, { connectionId, limit: 1, turn }));
  } catch (error) {
    const { message } = turn;
    if (isTransient(error) || !message) throw error;
    app.log.error(
      { team_id: tenant.teamId, message_id: message.id, err: error },
      'failed to process reports',
    );
    await inTenant(app, tenant, (work) => postponeFailed(work, message));
    return 1;
  }
}

/** Whether the database is unavailable: the queue retries the job, and the message is not at fault. */
const isTransient = (error: unknown) => error instanceof DomainError && error.kind === 'unavailable';

interface MessageBatchInput {
  readonly connectionId: string;
  readonly limit: number;
  readonly turn: CurrentMessage;
}

async function processBatch(
  app: App,
  work: Work,
  { connectionId, limit, turn }: MessageBatchInput,
): Promise<number> {
  await store.lockProcessing(work, connectionId);
  const [connection, waiting] = await Promise.all([
    findConnectionOfMessage(work, { connection_id: connectionId }),
    store.listWaitingMessages(work, connectionId, limit),
  ]);
  if (waiting[0]) turn.message = waiting[0];
  const readable = await readMessages(app, work, { waiting, connection });
  const placed = await store.findOrdersByPlacer(work, [...new Set(readable.flatMap(listSampleIds))]);
  const named = readable.map((one) => ({
    ...one,
    reports: one.reports.map((report) => resolvePlacer(report, placed)),
  }));
  // Concurrent lanes share round trips. All lanes must settle before the transaction ends.
  const taken: store.ProcessedMessage[] = [];
  const lanes = await Promise.allSettled(
    groupIntoLanes(named).map(async (lane) => {
      for (const message of lane) taken.push(await processMessage(work, message));
    }),
  );
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
  if (taken.length > 0) await store.recordProcessed(work, taken);
  return waiting.length;
}

/** A message with its parsed reports. */
interface ReadableLabMessage {
  readonly message: store.WaitingMessage;
  readonly reports: readonly ReceivedReport[];
}

interface WaitingMessages {
  readonly waiting: readonly store.WaitingMessage[];
  readonly connection: LabConnectionRow;
}

/** The reports of the messages, from the cache or parsed from their bodies. */
async function readMessages(
  app: App,
  work: Work,
  { waiting, connection }: WaitingMessages,
): Promise<ReadableLabMessage[]> {
  const { lab, account_number: accountNumber, time_zone: timeZone } = connection;
  const messages = waiting.map((message) => {
    const at = { lab, accountNumber, timeZone, arrivedAt: message.created_at };
    return { message, at, known: takeParsedMessage(app, message.id, at) };
  });
  const unknown = messages.filter(({ known }) => known === undefined);
  const bodies = await store.readBodies(
    work,
    unknown.map(({ message }) => message.id),
  );
  return messages.flatMap(({ message, at, known }) => {
    if (known) return [{ message, reports: known }];
    return readMessage(app, work, { message, at, body: requireFound(bodies.get(message.id), 'Lab message') });
  });
}

interface UnreadLabMessage {
  readonly message: store.WaitingMessage;
  readonly at: ReportReadContext;
  readonly body: Buffer;
}

/** Parses one message; an unreadable one becomes a dead letter, and the list is empty. */
function readMessage(app: App, work: Work, { message, at, body }: UnreadLabMessage): ReadableLabMessage[] {
  const bytes = openBody(work.cipher, body);
  try {
    return [{ message, reports: app.labWire.readReports({ bytes, format: message.format }, at) }];
  } catch (error) {
    const reason = describeReadError(app, error);
    store.changeMessage(work, message.id, { status: 'dead', done_at: work.now, reason });
    return [];
  }
}

const listSampleIds = ({ reports }: ReadableLabMessage): string[] =>
  reports.flatMap(({ sampleIds }) => [...sampleIds]);

/** A report with the placer number of our requisition belongs to its order, whatever else it contains. */
function resolvePlacer(report: ReceivedReport, placed: ReadonlyMap<string, string>): ReceivedReport {
  const ours = report.sampleIds.map((id) => placed.get(id)).find((id) => id !== undefined);
  return ours === undefined ? report : { ...report, placerOrderId: ours };
}

async function processMessage(
  work: Work,
  { message, reports }: ReadableLabMessage,
): Promise<store.ProcessedMessage> {
  const orders = new Set<string | null>();
  for (const report of reports) {
    const taken = await receiveReport(work, report, { messageId: message.id });
    orders.add(taken.outcome === 'attached' ? taken.orderId : null);
  }
  const [order, ...others] = orders;
  return { id: message.id, orderId: others.length === 0 ? (order ?? null) : null };
}

/** Postpones a message; after ATTEMPTS_MAX attempts it is dead until it is retried manually. */
async function postponeFailed(work: Work, message: store.WaitingMessage): Promise<void> {
  const { id, connection_id, attempts } = message;
  const tried = attempts + 1;
  const reason = 'The reports could not be processed; see the service log';
  if (tried >= ATTEMPTS_MAX) {
    await store.postponeMessage(work, message, {
      status: 'dead',
      reason,
      attempts: tried,
      done_at: work.now,
    });
    return;
  }
  const dueAt = later(work.now, RETRY_DELAYS_MS[attempts] ?? RETRY_DELAY_MAX_MS);
  if (!(await store.postponeMessage(work, message, { reason, attempts: tried, due_at: dueAt }))) return;
  await setTimer(work, processingJob, { key: id, dueAt, input: { connection_id } });
}
