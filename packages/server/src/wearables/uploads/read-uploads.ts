import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { later, MINUTE, SECOND } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Lease } from '../../platform/jobs/leased-queue.ts';
import { leaseBackoffMs, newClaim, releasedLease } from '../../platform/jobs/lease.ts';
import { startLoop, type Loop } from '../../platform/jobs/loop.ts';
import type { Work } from '../../platform/work.ts';
import { FileNotFoundError } from '../../adapters/file-storage/port.ts';
import { FileReport, UnreadableFile, type FileKind } from '../files/files.ts';
import { importFile, FileRejected, type FileImport } from '../files/import-file.ts';
import { findFileId, detachFile } from './file-store.ts';
import { openDecryptedCopy } from './files.ts';
import { getKind, OUTCOME_CONTEXT, getStatus } from './submit-upload.ts';
import type { UploadOutcome } from './schema.ts';
import { canTransition } from './status.ts';
import * as store from './store.ts';

const POLL_INTERVAL_MS = SECOND;
const LEASE_MS = MINUTE;
const HEARTBEAT_MS = 10 * SECOND;
/** After this many crashes or storage outages a file is given up. */
const ATTEMPTS_MAX = 5;
const BACKOFF = { baseMs: 10 * SECOND, factor: 3, triesMax: ATTEMPTS_MAX };

/** Reads uploaded files, one at a time per process. Stopping releases the lease of the current file. */
export function startUploadReader(app: App): Loop {
  const stopping = new AbortController();
  const round = () => readNextUpload(app, stopping.signal);
  const options = {
    name: 'wearable-file-reader',
    wakeup: 'uploads',
    everyMs: POLL_INTERVAL_MS,
    iterate: round,
  } as const;
  const loop = startLoop(app, options);
  return {
    stop: async () => {
      stopping.abort();
      await loop.stop();
    },
  };
}

/** Reads the next file. Returns whether there was one. */
export async function readNextUpload(app: App, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  const now = app.clock.now();
  const lease = await asSystem(app.db, (tx) => store.claimNext(tx, newClaim(now, LEASE_MS)));
  if (!lease) return false;
  try {
    await readLeased(app, lease, signal);
  } catch (error) {
    await releaseLease(app, lease, signal);
    // Stopped, or the lease was lost: not an error.
    if (!(error instanceof ReadInterrupted)) throw error;
  }
  return true;
}

class ReadInterrupted extends Error {}

/** Releases the upload for a later attempt. */
async function releaseLease(app: App, lease: Lease, signal: AbortSignal): Promise<void> {
  const back = releasedLease({
    now: app.clock.now(),
    tries: lease.tries,
    isInterrupted: signal.aborted,
    afterMs: leaseBackoffMs(lease.tries, BACKOFF),
  });
  await asSystem(app.db, (tx) => store.changeLease(tx, lease, back)).catch(() => undefined);
}

interface UploadReadJob {
  readonly userId: string;
  readonly fileId: string;
  readonly kind: FileKind;
}

async function readLeased(app: App, lease: Lease, signal: AbortSignal): Promise<void> {
  const begun = await inTenant(app, lease.tenant, (work) => startReading(work, lease));
  if (!begun) return;
  const report = new FileReport();
  const lost = new AbortController();
  const beat = setInterval(() => void renewLease(app, { lease, report, lost }), HEARTBEAT_MS);
  try {
    const stop = AbortSignal.any([signal, lost.signal]);
    const outcome = await importUpload(app, { lease, begun, report, stop });
    await inTenant(app, lease.tenant, (work) => finishReading(work, lease, outcome));
  } finally {
    clearInterval(beat);
  }
}

interface LeasedRead {
  readonly lease: Lease;
  readonly report: FileReport;
  readonly lost: AbortController;
}

/** Renews the lease. A failed heartbeat is tolerated, as the next one is in time; a lost lease stops the reading. */
async function renewLease(app: App, { lease, report, lost }: LeasedRead): Promise<void> {
  const progress = report.total > 0 ? Math.min(999, Math.floor((1000 * report.done) / report.total)) : 0;
  const hold = { leased_until: later(app.clock.now(), LEASE_MS), progress };
  const isOurs = await asSystem(app.db, (tx) => store.changeLease(tx, lease, hold)).catch(() => true);
  if (!isOurs) lost.abort();
}

/** Starts or resumes an upload; undefined if there is nothing to do. */
async function startReading(work: Work, lease: Lease): Promise<UploadReadJob | undefined> {
  const row = await store.lockUpload(work, lease.id);
  if (!row) return undefined;
  if (canTransition(getStatus(row), 'reading')) await store.updateUpload(work, row.id, { status: 'reading' });
  else if (getStatus(row) !== 'reading') return undefined;
  const fileId = await findFileId(work, row.id);
  if (lease.tries <= ATTEMPTS_MAX && fileId !== undefined) {
    return { userId: row.user_id, fileId, kind: getKind(row) };
  }
  await endUpload(
    work,
    row.id,
    toFailure('processing_error', 'The file could not be read after several attempts'),
  );
  return undefined;
}

interface UploadReadInput {
  readonly lease: Lease;
  readonly begun: UploadReadJob;
  readonly report: FileReport;
  readonly stop: AbortSignal;
}

async function importUpload(
  app: App,
  { lease, begun, report, stop }: UploadReadInput,
): Promise<UploadOutcome> {
  const { tenant } = lease;
  const copy = await openDecryptedCopy(app, tenant, begun.fileId).catch((error: unknown) => {
    if (error instanceof FileNotFoundError) return undefined;
    throw error;
  });
  if (!copy) return toFailure('processing_error', 'The file is missing from the storage');
  try {
    const check = () => {
      if (stop.aborted) throw new ReadInterrupted();
    };
    const to = { tenant, userId: begun.userId };
    return toOutcome(await importFile(app, to, { file: copy, kind: begun.kind, report, check }));
  } catch (error) {
    if (error instanceof FileRejected) return toFailure('unreadable_file', error.message);
    // The user was deleted meanwhile.
    if (error instanceof DomainError && error.kind === 'not_found')
      return toFailure('processing_error', error.message);
    throw error;
  } finally {
    await copy.close();
  }
}

const toFailure = (reason: UploadOutcome['failure_reason'], message: string): UploadOutcome => ({
  failure_reason: reason,
  failure_message: message,
  counts: {},
  skipped: {},
  faults: [],
  fault_count: 0,
});

const FAULTS_LISTED_MAX = 100;

const toOutcome = ({ counts, skipped, faults, faultCount, broken }: FileImport): UploadOutcome => ({
  failure_reason: broken instanceof UnreadableFile ? 'unreadable_file' : null,
  failure_message: broken?.message ?? null,
  counts,
  skipped,
  faults: faults.slice(0, FAULTS_LISTED_MAX),
  fault_count: faultCount,
});

/** Stores the outcome, unless another worker has finished the upload. */
async function finishReading(work: Work, lease: Lease, outcome: UploadOutcome): Promise<void> {
  const row = await store.lockUpload(work, lease.id);
  if (!row || getStatus(row) !== 'reading') return;
  await endUpload(work, row.id, outcome);
}

/** Ends an upload and detaches its file, which the next cleanup deletes. */
async function endUpload(work: Work, id: string, outcome: UploadOutcome): Promise<void> {
  await store.updateUpload(work, id, {
    status: outcome.failure_reason === null ? 'completed' : 'failed',
    progress: 1000,
    outcome: work.cipher.seal(JSON.stringify(outcome), OUTCOME_CONTEXT),
  });
  await detachFile(work, id);
}
