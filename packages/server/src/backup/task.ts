import type { App } from '../app.ts';
import { HOUR, later, MINUTE } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import { leaseBackoffMs, newClaim } from '../platform/jobs/lease.ts';
import * as store from './store.ts';
import type { BackupTaskKind } from './table.ts';

const LEASE_MS = 2 * MINUTE;
const RENEW_EVERY_MS = LEASE_MS / 4;
const RETRY = { baseMs: 5 * MINUTE, factor: 2, triesMax: 1000 };
const RETRY_MAX_MS = 6 * HOUR;
const FAILURE_LENGTH_MAX = 500;

/** One run of a task, by the only process that holds its lease. */
export interface BackupRun {
  /** Aborted when the process stops, or when the lease was lost to another one. */
  readonly signal: AbortSignal;
  readonly lease: store.BackupLease;
  /** Records the backup that is worked on, so that a later run removes what is left of it. */
  begin(name: string): Promise<void>;
}

interface BackupTask {
  readonly kind: BackupTaskKind;
  /** Returns the name of the backup that was written or verified; undefined if there was nothing to do. */
  readonly run: (run: BackupRun) => Promise<string | undefined>;
  /** When it is due after a success. */
  readonly nextAt: (now: Date) => Date;
  /** The process stops. */
  readonly stopping: AbortSignal;
}

/**
 * Runs a task if it is due and no other process runs it. The lease is renewed meanwhile; if that fails, the run is
 * aborted, because another process may have taken over. A failure is recorded and tried again after a pause.
 */
export async function runTaskIfDue(app: App, task: BackupTask): Promise<void> {
  const claim = newClaim(app.clock.now(), LEASE_MS);
  const lease = await asSystem(app.db, (tx) => store.claimTask(tx, task.kind, claim));
  if (!lease) return;
  const lost = new AbortController();
  const signal = AbortSignal.any([task.stopping, lost.signal]);
  const renewal = setInterval(() => {
    renewLease(app, lease).catch((error: unknown) => lost.abort(error));
  }, RENEW_EVERY_MS);
  try {
    const begin = (name: string) => requireLease(app, lease, { working_on: name });
    const name = await task.run({ signal, lease, begin });
    signal.throwIfAborted();
    await recordSuccess(app, lease, { name, dueAt: task.nextAt(app.clock.now()) });
  } catch (error) {
    await recordFailure(app, lease, { error, isStopping: task.stopping.aborted });
  } finally {
    clearInterval(renewal);
  }
}

const renewLease = (app: App, lease: store.BackupLease): Promise<void> =>
  requireLease(app, lease, { leased_until: later(app.clock.now(), LEASE_MS) });

async function requireLease(
  app: App,
  lease: store.BackupLease,
  change: Parameters<typeof store.updateTask>[2],
): Promise<void> {
  const isOurs = await asSystem(app.db, (tx) => store.updateTask(tx, lease, change));
  if (!isOurs)
    throw new Error('Another process has taken over, because this one did not renew its lease in time');
}

const RELEASED = { lease_id: null, leased_until: null };

async function recordSuccess(
  app: App,
  lease: store.BackupLease,
  { name, dueAt }: { name: string | undefined; dueAt: Date },
): Promise<void> {
  const done = name === undefined ? {} : { succeeded_at: app.clock.now(), succeeded_name: name };
  await requireLease(app, lease, { ...RELEASED, ...done, due_at: dueAt, tries: 0, working_on: null });
}

async function recordFailure(
  app: App,
  lease: store.BackupLease,
  { error, isStopping }: { error: unknown; isStopping: boolean },
): Promise<void> {
  const now = app.clock.now();
  if (isStopping) {
    await asSystem(app.db, (tx) => store.updateTask(tx, lease, { ...RELEASED, tries: lease.tries - 1 }));
    return;
  }
  app.log.error({ err: error, task: lease.kind, tries: lease.tries }, `the scheduled ${lease.kind} failed`);
  const failure = (error instanceof Error ? error.message : String(error)).slice(0, FAILURE_LENGTH_MAX);
  const pauseMs = Math.min(leaseBackoffMs(Math.min(lease.tries, 10), RETRY), RETRY_MAX_MS);
  const change = { ...RELEASED, failed_at: now, failure, due_at: later(now, pauseMs) };
  await asSystem(app.db, (tx) => store.updateTask(tx, lease, change));
}
