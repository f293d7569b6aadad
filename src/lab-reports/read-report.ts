import { inTenant, type App } from '../app.ts';
import { teamSettings } from '../management/management.ts';
import { NoSuchFile } from '../adapters/file-storage/port.ts';
import { later, MINUTE, SECOND } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import { newRandomId } from '../platform/ids.ts';
import type { Lease } from '../platform/jobs/line.ts';
import { startLoop, type Loop } from '../platform/jobs/loop.ts';
import { wallOf } from '../platform/jobs/timers.ts';
import type { Work } from '../platform/work.ts';
import { isDoubtful } from './extraction.ts';
import { listFiles, type FileOfJob } from './file-store.ts';
import { fetchFile } from './files.ts';
import { advance, sealExtraction, statusOf } from './job.ts';
import * as store from './store.ts';
import { Outcome } from './work/protocol.ts';
import { openReaders, type Readers } from './work/readers.ts';
import type { Ending, Errand } from './work/run-child.ts';

const LOOK_EVERY_MS = 1000;
const LEASE_MS = MINUTE;
const HEARTBEAT_MS = 15 * SECOND;
const UNBELIEVABLE_MS = 2 * MINUTE;
const PAGE_MS = MINUTE;
const WHOLE_MS = 5 * MINUTE;
const MIB = 1024 * 1024;
/** A file whose process falls so often is the reason for it. */
const FALLS_MAX = 3;
/** For everything else that may go wrong, and pass: a storage that is away, a node that is lost. */
const TRIES_MAX = 8;
const PAUSE_MS = 10 * SECOND;
const PAUSE_TIMES = 3;

/** The readers of this process: each takes one report after the other. Stopping gives back what is under way. */
export function startReportReaders(app: App): Loop {
  const stopping = new AbortController();
  const readers = openReportReaders(app);
  const round = () => readNext(app, { readers, signal: stopping.signal });
  const options = { name: 'lab-report-reader', ring: 'reports', everyMs: LOOK_EVERY_MS, round } as const;
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

/** The processes that read for this one. */
export const openReportReaders = ({ root, config }: App): Readers =>
  openReaders({
    root,
    memoryBytes: config.LAB_REPORT_MEMORY_MB * MIB,
    loincCsv: config.LOINC_CSV ?? null,
  });

interface Means {
  readonly readers: Readers;
  readonly signal: AbortSignal;
}

/** Reads the report whose turn it is; answers whether there was one. */
export async function readNext(app: App, { readers, signal }: Means): Promise<boolean> {
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
  const beat = setInterval(() => void holdOn(app, lease), HEARTBEAT_MS);
  try {
    await readLeased(app, lease, { readers, signal });
  } catch (error) {
    await letOthers(app, lease, { signal, afterMs: pauseMs(lease) });
    throw error;
  } finally {
    clearInterval(beat);
  }
  return true;
}

/** After the last try there is nothing to wait for: who takes the job then only ends it. */
const pauseMs = ({ tries }: Lease): number => (tries < TRIES_MAX ? PAUSE_MS * PAUSE_TIMES ** (tries - 1) : 0);

/** A heartbeat that fails is no harm: there is time for another three. */
const holdOn = (app: App, lease: Lease): Promise<unknown> =>
  asSystem(app.db, (tx) =>
    store.changeLease(tx, lease, { leased_until: later(app.clock.now(), LEASE_MS) }),
  ).catch(() => undefined);

/** Leaves the job to a later try. One that only our own stopping interrupted does not count. */
async function letOthers(
  app: App,
  lease: Lease,
  { signal, afterMs }: { signal: AbortSignal; afterMs: number },
): Promise<void> {
  const now = app.clock.now();
  const back = signal.aborted
    ? { leased_until: now, tries: lease.tries - 1 }
    : { leased_until: later(now, afterMs), tries: lease.tries };
  await asSystem(app.db, (tx) => store.changeLease(tx, lease, { ...back, lease_id: null })).catch(
    () => undefined,
  );
}

async function readLeased(app: App, lease: Lease, { readers, signal }: Means): Promise<void> {
  const files = await inTenant(app, lease.tenant, (work) => begin(work, lease));
  if (!files) return;
  const outcome = await outcomeOf(app, { lease, files, readers, signal });
  if (outcome === 'again') return letOthers(app, lease, { signal, afterMs: 0 });
  await inTenant(app, lease.tenant, (work) => finish(work, lease, outcome));
}

/** The files of a job that is now being read; undefined when there is nothing to do for us. */
async function begin(work: Work, lease: Lease): Promise<FileOfJob[] | undefined> {
  const job = await store.lockJob(work, lease.id, 'any');
  if (!job) return undefined;
  const started = statusOf(job) === 'upload_pending' ? await advance(work, job, { status: 'started' }) : job;
  if (statusOf(started) !== 'started') return undefined;
  if (lease.tries <= TRIES_MAX) return listFiles(work, lease.id);
  await advance(work, started, { status: 'failed', failure_reason: 'processing_error' });
  return undefined;
}

interface Reading extends Means {
  readonly lease: Lease;
  readonly files: readonly FileOfJob[];
}

const FAILED: Outcome = { failed: 'processing_error' };

async function outcomeOf(app: App, { lease, files, readers, signal }: Reading): Promise<Outcome | 'again'> {
  const given: { type: string; bytes: Buffer }[] = [];
  for (const { id, type } of files) {
    const bytes = await fetchFile(app, lease.tenant, id).catch((error: unknown) => {
      if (error instanceof NoSuchFile) return undefined;
      throw error;
    });
    if (!bytes) return FAILED;
    given.push({ type, bytes });
  }
  const ending = await readers.run({
    ask: { ask: 'read', loincCsv: app.config.LOINC_CSV ?? null },
    files: given,
    limits: { wholeMs: WHOLE_MS, pageMs: PAGE_MS, memoryBytes: app.config.LAB_REPORT_MEMORY_MB * MIB },
    ...secondReading(app, lease),
    signal,
  });
  app.log.debug({ part: 'lab-reports', job_id: lease.id, end: ending.end }, 'a report was read');
  return read(ending, lease, signal);
}

/** The process has no network: we ask for it. What goes wrong there is no failure of the job. */
function secondReading({ reportExtractor, log }: App, { id }: Lease): Pick<Errand, 'extract'> {
  if (!reportExtractor) return {};
  return {
    extract: async (words) => {
      const extraction = await reportExtractor.extract(words);
      if (extraction.outcome === 'extracted') return extraction.lines;
      const { reason } = extraction;
      log.warn({ part: 'lab-reports', job_id: id, reason }, 'the extractor did not answer');
      return [];
    },
  };
}

function read(ending: Ending, { tries }: Lease, signal: AbortSignal): Outcome | 'again' {
  if (ending.end === 'limit') return FAILED;
  if (ending.end === 'died' || ending.text === undefined) {
    return signal.aborted || tries < FALLS_MAX ? 'again' : FAILED;
  }
  // What a worker process says is not believed before it is parsed: it was alone with a file of a stranger.
  const outcome = Outcome.safeParse(parsedJson(ending.text));
  return outcome.success ? outcome.data : FAILED;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Writes down what came of it, unless somebody else has taken the job since. */
async function finish(work: Work, lease: Lease, outcome: Outcome): Promise<void> {
  const isOurs = await store.changeLease(work.tx, lease, {
    leased_until: wallOf(work, later(work.now, LEASE_MS)),
  });
  if (!isOurs) return;
  const job = await store.lockJob(work, lease.id, 'any');
  if (!job || statusOf(job) !== 'started') return;
  if ('failed' in outcome) {
    await advance(work, job, { status: 'failed', failure_reason: outcome.failed });
    return;
  }
  const doubted = isDoubtful(outcome.read) && (await teamSettings(work)).lab_report_review_enabled;
  await advance(work, job, {
    status: job.needs_human_review || doubted ? 'pending_review' : 'completed',
    data: sealExtraction(work, outcome.read),
  });
}
