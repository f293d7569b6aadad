import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { App } from '../app.ts';
import { isoTimestampOrNull, SECOND } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import { asSystem } from '../platform/db/transact.ts';
import { startLoop, type Loop } from '../platform/jobs/loop.ts';
import { inspectBackup } from './inspect.ts';
import { backupName, listExpired, nextBackupAt, VERIFY_INTERVAL_MS } from './schedule.ts';
import { ensureTask, listTasks, type BackupTaskRow } from './store.ts';
import { findBackup, keyOfBackup, listBackupNames } from './stored-backups.ts';
import { runTaskIfDue, type BackupRun } from './task.ts';
import { verifyBackup, type ScratchOpener } from './verify.ts';
import { streamBackup } from './write.ts';

/**
 * Scheduled backups. One row per task is claimed by one process. A backup is streamed into the storage, where it gets
 * its name only when it is complete, and is read again before older ones are removed.
 */
interface BackupDependencies {
  readonly ownerPool: pg.Pool;
  /** Opens an empty temporary database for a verification. */
  readonly openScratch: ScratchOpener;
}

const CHECK_EVERY_MS = 15 * SECOND;

/** Starts the loop of a worker; undefined if no backup is scheduled. */
export function startBackups(app: App, dependencies: BackupDependencies): Loop | undefined {
  if (app.config.BACKUP_SCHEDULE === undefined) return undefined;
  const stopping = new AbortController();
  const iterate = async () => {
    await runScheduledTasks(app, dependencies, stopping.signal);
    return false;
  };
  const loop = startLoop(app, { name: 'backup', everyMs: CHECK_EVERY_MS, iterate });
  return {
    stop: () => {
      stopping.abort(new Error('The process stops'));
      return loop.stop();
    },
  };
}

/** Writes and verifies backups if that is due and no other process does. */
export async function runScheduledTasks(
  app: App,
  { ownerPool, openScratch }: BackupDependencies,
  stopping: AbortSignal,
): Promise<void> {
  const { BACKUP_SCHEDULE: schedule, BACKUP_VERIFY: verify } = app.config;
  if (schedule === undefined) return;
  const now = app.clock.now();
  const nextAt = (at: Date) => nextBackupAt(schedule, at, at);
  const lastAt = await findLastSuccess(app);
  await asSystem(app.db, (tx) => ensureTask(tx, 'backup', nextBackupAt(schedule, now, lastAt)));
  await runTaskIfDue(app, { kind: 'backup', stopping, nextAt, run: (run) => backUp(app, ownerPool, run) });
  if (verify === 'off') return;
  const pauseMs = VERIFY_INTERVAL_MS[verify];
  const verifyAt = (at: Date) => new Date(at.getTime() + pauseMs);
  await asSystem(app.db, (tx) => ensureTask(tx, 'verify', verifyAt(now)));
  const run = ({ signal }: BackupRun) => verifyLatest(app, openScratch, signal);
  await runTaskIfDue(app, { kind: 'verify', stopping, nextAt: verifyAt, run });
}

const findLastSuccess = async (app: App): Promise<Date | null> =>
  (await asSystem(app.db, listTasks)).find(({ kind }) => kind === 'backup')?.succeeded_at ?? null;

/** Writes a backup, reads it again, and only then removes those that need not be kept. Returns its name. */
async function backUp(app: App, ownerPool: pg.Pool, { signal, lease, begin }: BackupRun): Promise<string> {
  const { backupStorage: storage, config, log } = app;
  if (lease.unfinished !== null) await storage.discardUnfinished(keyOfBackup(lease.unfinished));
  const name = backupName(app.clock.now(), randomBytes(4).toString('hex'));
  const key = keyOfBackup(name);
  await begin(name);
  const summary = await streamBackup(app, ownerPool, (bytes) =>
    storage.put(key, untilAborted(bytes, signal)),
  );
  try {
    await inspectBackup(() => untilAborted(storage.get(key), signal), app.keyring.providers);
  } catch (error) {
    // Not a backup that can be relied on. An interrupted check says nothing about it.
    if (!signal.aborted) await storage.remove(key);
    throw error;
  }
  signal.throwIfAborted();
  const removed = await removeExpired(app, config);
  const { fingerprint } = app.keyring.provider;
  log.info({ backup: name, ...summary, fingerprint, removed }, 'backup written and checked');
  return name;
}

async function* untilAborted(bytes: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  for await (const some of bytes) {
    signal.throwIfAborted();
    yield some;
  }
}

/** Returns the number of removed backups. */
async function removeExpired({ backupStorage, clock }: App, config: Config): Promise<number> {
  const names = (await listBackupNames(backupStorage)).map(({ name }) => name);
  const expired = listExpired(names, {
    keepCount: config.BACKUP_KEEP_COUNT,
    keepDays: config.BACKUP_KEEP_DAYS,
    now: clock.now(),
  });
  for (const name of expired) await backupStorage.remove(keyOfBackup(name));
  return expired.length;
}

async function verifyLatest(
  app: App,
  openScratch: ScratchOpener,
  signal: AbortSignal,
): Promise<string | undefined> {
  if ((await listBackupNames(app.backupStorage)).length === 0) return undefined;
  const { name, source } = await findBackup(app.backupStorage, 'latest');
  const { problems, ...report } = await verifyBackup(openScratch, () => untilAborted(source(), signal));
  if (problems.length > 0) throw new Error(`The backup ${name} is not sound: ${problems.join('; ')}`);
  app.log.info({ backup: name, ...report }, 'backup verified by a restore');
  return name;
}

/** What the readiness probe tells about scheduled backups; undefined if none is scheduled. */
export async function describeBackupStatus(app: App): Promise<Record<string, unknown> | undefined> {
  if (app.config.BACKUP_SCHEDULE === undefined) return undefined;
  const rows = await asSystem(app.db, listTasks);
  return Object.fromEntries(rows.map((row) => [row.kind, describeTask(row)]));
}

const describeTask = ({ due_at, succeeded_at, failed_at }: BackupTaskRow) => ({
  last_success_at: isoTimestampOrNull(succeeded_at),
  last_failure_at: isoTimestampOrNull(failed_at),
  next_at: isoTimestampOrNull(due_at),
  is_failing: failed_at !== null && (succeeded_at === null || failed_at > succeeded_at),
});
