import { performance } from 'node:perf_hooks';
import { inTenant, type App } from '../app.ts';
import { readTeamSettings } from '../identity/management/management.ts';
import { FileNotFoundError } from '../adapters/file-storage/port.ts';
import { later, MINUTE, SECOND } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import type { Lease } from '../platform/jobs/leased-queue.ts';
import { leaseBackoffMs, newClaim, releasedLease } from '../platform/jobs/lease.ts';
import { startLoop, type Loop } from '../platform/jobs/loop.ts';
import { toSystemTime } from '../platform/jobs/timers.ts';
import { openDurations, runInSpan } from '../platform/telemetry/telemetry.ts';
import type { Work } from '../platform/work.ts';
import { hasReviewReasons } from './extraction.ts';
import { listFiles, type JobFile } from './file-store.ts';
import { fetchFile } from './files.ts';
import { advanceJob, sealExtraction, statusOf } from './job.ts';
import * as store from './store.ts';
import { REPORT_READER_PACKAGE } from './readers/find-report-reader.ts';
import { MEMORY_SHORTAGE } from './readers/last-words.ts';
import { ReadOutcome } from './readers/protocol.ts';
import { openReaders, type ReportReaders } from './readers/readers.ts';
import type { ChildOutcome, ChildTask } from './readers/run-child.ts';
import { canReadSample } from './readers/sample-check.ts';

/**
 * The workers that read queued reports. A worker leases one job at a time, extends the lease with a heartbeat, and lets
 * a separate process read the files. Guarantees: a job is read by one worker at a time; a job whose worker dies is
 * leased again; after TRIES_MAX tries, or CRASHES_MAX crashes of the process, it fails with `processing_error`, so no
 * job stays `started` forever. A result is stored only while the lease is still held.
 */
const POLL_EVERY_MS = 1000;
const LEASE_MS = MINUTE;
const HEARTBEAT_MS = 15 * SECOND;
const PAGE_CPU_MS = MINUTE;
const REPORT_CPU_MS = 5 * MINUTE;
const MIB = 1024 * 1024;
/** After this many crashes of its process, the file is taken to be the cause, if a sample can be read. */
const CRASHES_MAX = 3;
/**
 * After this many tries that reached a limit, the file is taken to be the cause. Processor time hardly depends on how
 * busy the machine is, so that the same file would use it up again.
 */
const LIMIT_TRIES_MAX = { elapsed_time: 3, processor_time: 2, memory: 1 } as const;
/** The limit for transient failures, such as an unreachable storage or a lost node. */
const TRIES_MAX = 8;
const BACKOFF = { baseMs: 10 * SECOND, factor: 3, triesMax: TRIES_MAX };

const NO_READER =
  `the package ${REPORT_READER_PACKAGE} is not installed: uploaded lab reports wait until a worker with it starts. ` +
  `Install the same version of it next to the service`;

/** Starts the reader loops of this process, if it can read. Stopping them releases the jobs in progress. */
export function startReportReaders(app: App): Loop {
  if (!app.hasReportReader) {
    app.log.warn({ part: 'lab-reports' }, NO_READER);
    return { stop: async () => {} };
  }
  const stopping = new AbortController();
  const readers = openReportReaders(app);
  const round = () => readNextReport(app, { readers, signal: stopping.signal });
  const options = {
    name: 'lab-report-reader',
    wakeup: 'reports',
    everyMs: POLL_EVERY_MS,
    iterate: round,
  } as const;
  const loops = Array.from({ length: app.config.LAB_REPORT_READERS }, () => startLoop(app, options));
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops.map((loop) => loop.stop()));
      await readers.stop();
      await app.reportExtractor?.close();
    },
  };
}

/** The pool of reader processes. */
export const openReportReaders = ({ root, config }: App): ReportReaders =>
  openReaders({
    root,
    memoryBytes: config.LAB_REPORT_MEMORY_MB * MIB,
    loincCsv: config.LOINC_CSV ?? null,
  });

interface ReportReaderContext {
  readonly readers: ReportReaders;
  readonly signal: AbortSignal;
}

/** Leases and reads the next report; returns whether there was one. */
export async function readNextReport(app: App, { readers, signal }: ReportReaderContext): Promise<boolean> {
  if (signal.aborted) return false;
  const now = app.clock.now();
  const lease = await asSystem(app.db, (tx) => store.claimNext(tx, newClaim(now, LEASE_MS)));
  if (!lease) return false;
  const beat = setInterval(() => void extendLease(app, lease), HEARTBEAT_MS);
  try {
    await readLeased(app, lease, { readers, signal });
  } catch (error) {
    await releaseLease(app, lease, { signal, afterMs: leaseBackoffMs(lease.tries, BACKOFF) });
    throw error;
  } finally {
    clearInterval(beat);
  }
  return true;
}

/** A failed heartbeat is ignored: three more follow before the lease ends. */
const extendLease = (app: App, lease: Lease): Promise<unknown> =>
  asSystem(app.db, (tx) =>
    store.changeLease(tx, lease, { leased_until: later(app.clock.now(), LEASE_MS) }),
  ).catch(() => undefined);

/** Releases the job for a later try. */
async function releaseLease(
  app: App,
  lease: Lease,
  { signal, afterMs }: { signal: AbortSignal; afterMs: number },
): Promise<void> {
  const { tries } = lease;
  const back = releasedLease({ now: app.clock.now(), tries, isInterrupted: signal.aborted, afterMs });
  await asSystem(app.db, (tx) => store.changeLease(tx, lease, back)).catch(() => undefined);
}

async function readLeased(app: App, lease: Lease, { readers, signal }: ReportReaderContext): Promise<void> {
  const files = await inTenant(app, lease.tenant, (work) => startJob(work, lease));
  if (!files) return;
  const outcome = await observeReading(app, () => runReader(app, { lease, files, readers, signal }));
  if (outcome === 'again') return releaseLease(app, lease, { signal, afterMs: 0 });
  if (outcome === 'later' || outcome === 'memory_shortage')
    return releaseLease(app, lease, { signal, afterMs: leaseBackoffMs(lease.tries, BACKOFF) });
  await inTenant(app, lease.tenant, (work) => finishJob(work, lease, outcome));
}

const recordReading = openDurations(
  'aliquot.lab_report.read.duration',
  'Duration of attempts to read an uploaded lab report, by result',
);

/** Measures an attempt, and traces it: calls to the extractor are below its span. */
const observeReading = (app: App, read: () => Promise<ReadOutcome | Retry>): Promise<ReadOutcome | Retry> =>
  runInSpan(app.telemetry, { name: 'read lab report' }, async (span) => {
    const begun = performance.now();
    let result = 'retried';
    try {
      const outcome = await read();
      if (outcome === 'memory_shortage') result = outcome;
      else if (typeof outcome !== 'string') result = 'failed' in outcome ? 'failed' : 'done';
      return outcome;
    } finally {
      recordReading(app.telemetry, performance.now() - begun, { 'aliquot.result': result });
      span?.setAttribute('aliquot.result', result);
    }
  });

/** Moves the job to `started` and returns its files; undefined if there is nothing to read. */
async function startJob(work: Work, lease: Lease): Promise<JobFile[] | undefined> {
  const job = await store.lockJob(work, lease.id, 'any');
  if (!job) return undefined;
  const started =
    statusOf(job) === 'upload_pending' ? await advanceJob(work, job, { status: 'started' }) : job;
  if (statusOf(started) !== 'started') return undefined;
  if (lease.tries <= TRIES_MAX) return listFiles(work, lease.id);
  await advanceJob(work, started, { status: 'failed', failure_reason: 'processing_error' });
  return undefined;
}

interface LeasedReading extends ReportReaderContext {
  readonly lease: Lease;
  readonly files: readonly JobFile[];
}

/** At once, or when the machine may have recovered; if it is known to be short of memory, that is measured. */
type Retry = 'again' | 'later' | 'memory_shortage';

const FAILED: ReadOutcome = { failed: 'processing_error' };

async function runReader(
  app: App,
  { lease, files, readers, signal }: LeasedReading,
): Promise<ReadOutcome | Retry> {
  const given: { type: string; bytes: Buffer }[] = [];
  for (const { id, type } of files) {
    const bytes = await fetchFile(app, lease.tenant, id).catch((error: unknown) => {
      if (error instanceof FileNotFoundError) return undefined;
      throw error;
    });
    if (!bytes) return FAILED;
    given.push({ type, bytes });
  }
  const limits = {
    totalCpuMs: REPORT_CPU_MS,
    pageCpuMs: PAGE_CPU_MS,
    memoryBytes: app.config.LAB_REPORT_MEMORY_MB * MIB,
  };
  const ending = await readers.run({
    request: { ask: 'read', loincCsv: app.config.LOINC_CSV ?? null },
    files: given,
    limits,
    ...extractorOption(app, lease),
    signal,
  });
  app.log.debug(
    { part: 'lab-reports', job_id: lease.id, end: ending.end },
    'the reader process of a lab report ended',
  );
  const warn = (by: string) => app.log.warn({ part: 'lab-reports', job_id: lease.id, by }, MEMORY_SHORTAGE);
  if (ending.end === 'memory_shortage') warn(ending.by);
  const outcome = toOutcome(ending, lease, signal);
  if (ending.end !== 'died' || outcome !== FAILED) return outcome;
  if (await canReadSample((sample) => readers.run({ ...sample, limits, signal }))) return FAILED;
  warn('sample');
  return 'memory_shortage';
}

/** The process has no network, so we call the extractor for it. A failure there does not fail the job. */
function extractorOption({ reportExtractor, log }: App, { id }: Lease): Pick<ChildTask, 'extract'> {
  if (!reportExtractor) return {};
  return {
    extract: async (words) => {
      const extraction = await reportExtractor.extract(words);
      if (extraction.outcome === 'extracted') return extraction.lines;
      const { reason } = extraction;
      log.warn(
        { part: 'lab-reports', job_id: id, reason },
        'the report extractor failed; the report is read without it',
      );
      return [];
    },
  };
}

export function toOutcome(
  ending: ChildOutcome,
  { tries }: Pick<Lease, 'tries'>,
  signal: AbortSignal,
): ReadOutcome | Retry {
  if (ending.end === 'memory_shortage') return 'memory_shortage';
  if (ending.end === 'limit') return tries < LIMIT_TRIES_MAX[ending.of] ? 'again' : FAILED;
  if (ending.end === 'died' || ending.text === undefined) {
    if (signal.aborted) return 'again';
    return tries < CRASHES_MAX ? 'later' : FAILED;
  }
  // The output of the process is untrusted, because it handled an untrusted file.
  const outcome = ReadOutcome.safeParse(parseJson(ending.text));
  return outcome.success ? outcome.data : FAILED;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Stores the outcome, unless another worker has leased the job in the meantime. */
async function finishJob(work: Work, lease: Lease, outcome: ReadOutcome): Promise<void> {
  const isOurs = await store.changeLease(work.tx, lease, {
    leased_until: toSystemTime(work, later(work.now, LEASE_MS)),
  });
  if (!isOurs) return;
  const job = await store.lockJob(work, lease.id, 'any');
  if (!job || statusOf(job) !== 'started') return;
  if ('failed' in outcome) {
    await advanceJob(work, job, { status: 'failed', failure_reason: outcome.failed });
    return;
  }
  const doubted = hasReviewReasons(outcome.read) && (await readTeamSettings(work)).lab_report_review_enabled;
  await advanceJob(work, job, {
    status: job.needs_human_review || doubted ? 'pending_review' : 'completed',
    data: sealExtraction(work, outcome.read),
    // A process without the reader accepted the file uncounted.
    pages: Math.max(job.pages, outcome.read.pages.length),
  });
}
