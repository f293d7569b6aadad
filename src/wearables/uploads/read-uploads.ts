import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { later, MINUTE, SECOND } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import { newRandomId } from '../../platform/ids.ts';
import type { Lease } from '../../platform/jobs/line.ts';
import { startLoop, type Loop } from '../../platform/jobs/loop.ts';
import type { Work } from '../../platform/work.ts';
import { NoSuchFile } from '../../adapters/file-storage/port.ts';
import { FileReport, UnreadableFile, type FileKind } from '../files/files.ts';
import { importFile, NothingTaken, type Imported } from '../files/import-file.ts';
import { fileOf, letGo } from './file-store.ts';
import { openCopy } from './files.ts';
import { kindOfRow, PLACE, statusOf } from './hand-in.ts';
import type { Outcome } from './schema.ts';
import { canMove } from './status.ts';
import * as store from './store.ts';

const LOOK_EVERY_MS = SECOND;
const LEASE_MS = MINUTE;
const HEARTBEAT_MS = 10 * SECOND;
const UNBELIEVABLE_MS = 2 * MINUTE;
/** A file at which the process falls so often, or which finds its storage away, is given up. */
const TRIES_MAX = 5;
const PAUSE_MS = 10 * SECOND;
const PAUSE_TIMES = 3;

/** Reads the files that were handed in, one at a time in a process. Stopping gives back what is under way. */
export function startUploadReader(app: App): Loop {
  const stopping = new AbortController();
  const round = () => readNextUpload(app, stopping.signal);
  const options = { name: 'wearable-file-reader', ring: 'uploads', everyMs: LOOK_EVERY_MS, round } as const;
  const loop = startLoop(app, options);
  return {
    stop: async () => {
      stopping.abort();
      await loop.stop();
    },
  };
}

/** Reads the file whose turn it is; answers whether there was one. */
export async function readNextUpload(app: App, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  const now = app.clock.now();
  const lease = await asSystem(app.db, (tx) =>
    store.takeNext(tx, {
      now,
      until: later(now, LEASE_MS),
      leaseId: newRandomId(),
      unbelievable: later(now, UNBELIEVABLE_MS),
    }),
  );
  if (!lease) return false;
  try {
    await readLeased(app, lease, signal);
  } catch (error) {
    await letOthers(app, lease, signal);
    // Stopped, or the upload is gone or somebody else's: nothing to worry about.
    if (!(error instanceof Interrupted)) throw error;
  }
  return true;
}

class Interrupted extends Error {}

/** Leaves the upload to a later try. One that only our own stopping interrupted does not count. */
async function letOthers(app: App, lease: Lease, signal: AbortSignal): Promise<void> {
  const now = app.clock.now();
  const back = signal.aborted
    ? { leased_until: now, tries: lease.tries - 1 }
    : { leased_until: later(now, pauseMs(lease)), tries: lease.tries };
  await asSystem(app.db, (tx) => store.changeLease(tx, lease, { ...back, lease_id: null })).catch(
    () => undefined,
  );
}

/** After the last try there is nothing to wait for: who takes the upload then only ends it. */
const pauseMs = ({ tries }: Lease): number => (tries < TRIES_MAX ? PAUSE_MS * PAUSE_TIMES ** (tries - 1) : 0);

interface Begun {
  readonly userId: string;
  readonly fileId: string;
  readonly kind: FileKind;
}

async function readLeased(app: App, lease: Lease, signal: AbortSignal): Promise<void> {
  const begun = await inTenant(app, lease.tenant, (work) => begin(work, lease));
  if (!begun) return;
  const report = new FileReport();
  const lost = new AbortController();
  const beat = setInterval(() => void holdOn(app, { lease, report, lost }), HEARTBEAT_MS);
  try {
    const stop = AbortSignal.any([signal, lost.signal]);
    const outcome = await outcomeOf(app, { lease, begun, report, stop });
    await inTenant(app, lease.tenant, (work) => finish(work, lease, outcome));
  } finally {
    clearInterval(beat);
  }
}

interface Held {
  readonly lease: Lease;
  readonly report: FileReport;
  readonly lost: AbortController;
}

/** A heartbeat that fails is no harm: there is time for others. One that is told that the lease is lost stops the reading. */
async function holdOn(app: App, { lease, report, lost }: Held): Promise<void> {
  const progress = report.total > 0 ? Math.min(999, Math.floor((1000 * report.done) / report.total)) : 0;
  const hold = { leased_until: later(app.clock.now(), LEASE_MS), progress };
  const isOurs = await asSystem(app.db, (tx) => store.changeLease(tx, lease, hold)).catch(() => true);
  if (!isOurs) lost.abort();
}

/** What is to be read; undefined when there is nothing to do for us. */
async function begin(work: Work, lease: Lease): Promise<Begun | undefined> {
  const row = await store.lockUpload(work, lease.id);
  if (!row) return undefined;
  if (canMove(statusOf(row), 'reading')) await store.moveUpload(work, row.id, { status: 'reading' });
  else if (statusOf(row) !== 'reading') return undefined;
  const fileId = await fileOf(work, row.id);
  if (lease.tries <= TRIES_MAX && fileId !== undefined) {
    return { userId: row.user_id, fileId, kind: kindOfRow(row) };
  }
  await end(
    work,
    row.id,
    failed('processing_error', 'The file could not be read, however often it was tried'),
  );
  return undefined;
}

interface Reading {
  readonly lease: Lease;
  readonly begun: Begun;
  readonly report: FileReport;
  readonly stop: AbortSignal;
}

async function outcomeOf(app: App, { lease, begun, report, stop }: Reading): Promise<Outcome> {
  const { tenant } = lease;
  const copy = await openCopy(app, tenant, begun.fileId).catch((error: unknown) => {
    if (error instanceof NoSuchFile) return undefined;
    throw error;
  });
  if (!copy) return failed('processing_error', 'The file is not in the storage any more');
  try {
    const check = () => {
      if (stop.aborted) throw new Interrupted();
    };
    const to = { tenant, userId: begun.userId };
    return outcomeFrom(await importFile(app, to, { file: copy, kind: begun.kind, report, check }));
  } catch (error) {
    if (error instanceof NothingTaken) return failed('unreadable_file', error.message);
    // Whose user is deleted meanwhile is not to be read any more.
    if (error instanceof DomainError && error.kind === 'not_found')
      return failed('processing_error', error.message);
    throw error;
  } finally {
    await copy.close();
  }
}

const failed = (reason: Outcome['failure_reason'], message: string): Outcome => ({
  failure_reason: reason,
  failure_message: message,
  counts: {},
  skipped: {},
  faults: [],
  fault_count: 0,
});

const FAULTS_TOLD_MAX = 100;

const outcomeFrom = ({ counts, skipped, faults, faultCount, broken }: Imported): Outcome => ({
  failure_reason: broken instanceof UnreadableFile ? 'unreadable_file' : null,
  failure_message: broken?.message ?? null,
  counts,
  skipped,
  faults: faults.slice(0, FAULTS_TOLD_MAX),
  fault_count: faultCount,
});

/** Writes down what came of it, unless somebody else has taken the upload since. */
async function finish(work: Work, lease: Lease, outcome: Outcome): Promise<void> {
  const row = await store.lockUpload(work, lease.id);
  if (!row || statusOf(row) !== 'reading') return;
  await end(work, row.id, outcome);
}

/** The file has done its service: the next round of tidying up removes it. */
async function end(work: Work, id: string, outcome: Outcome): Promise<void> {
  await store.moveUpload(work, id, {
    status: outcome.failure_reason === null ? 'completed' : 'failed',
    progress: 1000,
    outcome: work.cipher.seal(JSON.stringify(outcome), PLACE),
  });
  await letGo(work, id);
}
