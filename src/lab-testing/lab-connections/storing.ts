import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { ENVIRONMENTS } from '../../platform/tenant.ts';
import { insertArrived, type ArrivedRow, type Known } from './intake-store.ts';
import { enqueueTaking } from './taking-job.ts';

/** Keeps a message for good, and answers what came before in its stead, if it did. */
export type Keep = (row: ArrivedRow) => Promise<Known | undefined>;

interface Waiting {
  readonly row: ArrivedRow;
  readonly resolve: (known: Known | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const BATCH = 100;
const BATCH_BYTES = 16 * 1024 * 1024;

/**
 * Messages that come while others are being written are written together: one commit for all who wait, and nobody is
 * acknowledged before it. One that cannot be written does not take the others with it.
 */
export function openStorage(app: App): Keep {
  const waiting: Waiting[] = [];
  let writing = false;

  const write = async () => {
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchSize(waiting));
      await insertTogether(app, batch).catch(() => insertEach(app, batch));
    }
    writing = false;
  };
  return (row) =>
    new Promise((resolve, reject) => {
      waiting.push({ row, resolve, reject });
      if (!writing) void write();
    });
}

function batchSize(waiting: readonly Waiting[]): number {
  let bytes = 0;
  let count = 0;
  while (count < Math.min(waiting.length, BATCH) && (count === 0 || bytes < BATCH_BYTES)) {
    bytes += waiting[count]?.row.body.length ?? 0;
    count += 1;
  }
  return count;
}

async function insertTogether(app: App, batch: readonly Waiting[]): Promise<void> {
  const known = await insert(
    app,
    batch.map(({ row }) => row),
  );
  for (const [index, { resolve }] of batch.entries()) resolve(known[index]);
}

async function insertEach(app: App, batch: readonly Waiting[]): Promise<void> {
  for (const { row, resolve, reject } of batch) {
    await insert(app, [row]).then(([known]) => resolve(known), reject);
  }
}

/** The messages and the jobs that take them, or none of it. */
const insert = (app: App, rows: readonly ArrivedRow[]): Promise<(Known | undefined)[]> =>
  asSystem(app.db, async (tx) => {
    const known = await insertArrived(tx, rows);
    const toTake = new Map<string, ArrivedRow>();
    for (const [index, row] of rows.entries()) {
      if (!known[index] && row.status === 'stored') toTake.set(row.connection_id, row);
    }
    for (const { team_id: teamId, environment: name, connection_id } of toTake.values()) {
      const environment = ENVIRONMENTS.find((one) => one === name) ?? 'sandbox';
      await enqueueTaking(tx, { teamId, environment }, connection_id);
    }
    return known;
  });
