import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { toTenant } from '../../platform/db/tenant-rows.ts';
import { insertIncomingMessages, type IncomingMessageRow, type EarlierMessage } from './ingestion-store.ts';
import { enqueueProcessing } from './processing-job.ts';

/** Stores a message durably. Resolves to the equal message received earlier, if there is one. */
export type MessageWriter = (row: IncomingMessageRow) => Promise<EarlierMessage | undefined>;

interface PendingMessageWrite {
  readonly row: IncomingMessageRow;
  readonly resolve: (known: EarlierMessage | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const BATCH_SIZE_MAX = 100;
const BATCH_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Group commit: messages that arrive during a write are collected and written in one transaction. Each promise resolves
 * after the commit. If a batch fails, its messages are written one by one, so that one failure affects only itself.
 */
export function createMessageWriter(app: App): MessageWriter {
  const waiting: PendingMessageWrite[] = [];
  let writing = false;

  const write = async () => {
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, countBatch(waiting));
      await insertBatch(app, batch).catch(() => insertEach(app, batch));
    }
    writing = false;
  };
  return (row) =>
    new Promise((resolve, reject) => {
      waiting.push({ row, resolve, reject });
      if (!writing) void write();
    });
}

function countBatch(waiting: readonly PendingMessageWrite[]): number {
  let bytes = 0;
  let count = 0;
  while (count < Math.min(waiting.length, BATCH_SIZE_MAX) && (count === 0 || bytes < BATCH_BYTES_MAX)) {
    bytes += waiting[count]?.row.body.length ?? 0;
    count += 1;
  }
  return count;
}

async function insertBatch(app: App, batch: readonly PendingMessageWrite[]): Promise<void> {
  const known = await insertWithJobs(
    app,
    batch.map(({ row }) => row),
  );
  for (const [index, { resolve }] of batch.entries()) resolve(known[index]);
}

async function insertEach(app: App, batch: readonly PendingMessageWrite[]): Promise<void> {
  for (const { row, resolve, reject } of batch) {
    await insertWithJobs(app, [row]).then(([known]) => resolve(known), reject);
  }
}

/** Inserts the messages and enqueues their processing jobs in one transaction. */
const insertWithJobs = (
  app: App,
  rows: readonly IncomingMessageRow[],
): Promise<(EarlierMessage | undefined)[]> =>
  asSystem(app.db, async (tx) => {
    const known = await insertIncomingMessages(tx, rows);
    const toTake = new Map<string, IncomingMessageRow>();
    for (const [index, row] of rows.entries()) {
      if (!known[index] && row.status === 'stored') toTake.set(row.connection_id, row);
    }
    for (const row of toTake.values()) await enqueueProcessing(tx, toTenant(row), row.connection_id);
    return known;
  });
