import { availableParallelism } from 'node:os';
import { checkTypes, type FileCheck, type FileType } from 'aliquot-report-reader/files';
import type { App } from '../app.ts';
import { DomainError } from '../platform/errors.ts';
import { createFairLimit, QueueFullError } from '../platform/fair-limit.ts';
import type { UploadedFile } from '../platform/http/multipart.ts';
import type { Tenant } from '../platform/tenant.ts';
import { fetchFile } from './files.ts';
import { REPORT_READER_PACKAGE } from './readers/find-report-reader.ts';
import { MEMORY_SHORTAGE } from './readers/last-words.ts';
import { FileCheckReply } from './readers/protocol.ts';
import { runChild, type ChildOutcome, type ChildTask } from './readers/run-child.ts';
import { canReadSample } from './readers/sample-check.ts';
import type { ChildLimits } from './readers/watch-limits.ts';

/** Files that passed the check: their types, detected from the bytes, and the total page count. */
export type CheckedFiles = Exclude<FileCheck, { refused: string }>;

/**
 * Opens untrusted files for API requests in separate processes: at most CONCURRENCY at a time. Teams take turns, and one
 * team never has every process. Up to WAITING_MAX further requests wait, WAITING_PER_TEAM_MAX of one team; beyond that
 * they get 503.
 */
export interface ReaderPool {
  /** Throws a 400 error if the files are not one report. */
  check(tenant: Tenant, files: readonly UploadedFile[]): Promise<CheckedFiles>;
  /** Renders a page of a file as PNG; pages count from 1. */
  renderPage(tenant: Tenant, fileId: string, page: number): Promise<Uint8Array>;
}

const CONCURRENCY = Math.max(2, availableParallelism());
const WAITING_MAX = 64;
const WAITING_PER_TEAM_MAX = 16;
const CHECK_CPU_MS = 20_000;
const MIB = 1024 * 1024;
const RETRY_AFTER_SECONDS = 5;

export function openReaderPool(app: App): ReaderPool {
  const limit = createFairLimit({
    concurrency: CONCURRENCY,
    concurrencyPerKey: CONCURRENCY - 1,
    waitingMax: WAITING_MAX,
    waitingPerKeyMax: WAITING_PER_TEAM_MAX,
  });
  const inTurn = async <T>({ teamId }: Tenant, work: () => Promise<T>): Promise<T> => {
    try {
      return await limit(teamId, work);
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error;
      throw new DomainError(
        'unavailable',
        'Too many files are being opened at once. Retry later',
        RETRY_AFTER_SECONDS,
      );
    }
  };
  const limits: ChildLimits = {
    totalCpuMs: CHECK_CPU_MS,
    pageCpuMs: CHECK_CPU_MS,
    memoryBytes: app.config.LAB_REPORT_MEMORY_MB * MIB,
  };
  const run: RunTask = async (errand) => {
    const ending = await runChild({ root: app.root, limits, ...errand });
    if (ending.end === 'memory_shortage')
      app.log.warn({ part: 'lab-reports', ask: errand.request.ask, by: ending.by }, MEMORY_SHORTAGE);
    return ending;
  };
  return {
    check: (tenant, files) =>
      inTurn(tenant, async () => {
        const bytes = await Promise.all(files.map(({ key }) => fetchFile(app, tenant, key)));
        const given = files.map(({ type }, index) => ({ type, bytes: bytes[index] ?? Buffer.alloc(0) }));
        const seen = checkTypes(given);
        if ('refused' in seen) throw new DomainError('bad_request', seen.refused);
        if (!app.hasReportReader) return uncounted(seen.types);
        return checkInProcess(run, given);
      }),
    renderPage: (tenant, fileId, page) =>
      inTurn(tenant, async () => {
        if (!app.hasReportReader) throw new DomainError('unavailable', NO_READER);
        const file = { type: '', bytes: await fetchFile(app, tenant, fileId) };
        const ending = await run({ request: { ask: 'page', page }, files: [file] });
        if (ending.end === 'answered' && ending.bytes) return ending.bytes;
        throw new DomainError('unavailable', 'The page cannot be rendered. Retry later', RETRY_AFTER_SECONDS);
      }),
  };
}

type RunTask = (task: Pick<ChildTask, 'request' | 'files'>) => Promise<ChildOutcome>;

/**
 * Twice, if the first process crashed or the machine was short of memory. A file that crashes both is opened once more
 * after a sample was read: the shortage may have ended in between.
 */
async function checkInProcess(run: RunTask, files: ChildTask['files']): Promise<CheckedFiles> {
  const task = { request: { ask: 'check' }, files } as const;
  const first = await run(task);
  const ending = mayBeTransient(first) ? await run(task) : first;
  if (ending.end !== 'died') return toCheckedFiles(ending);
  if (!(await canReadSample(run))) throw shortOfMemory();
  return toCheckedFiles(await run(task));
}

const mayBeTransient = ({ end }: ChildOutcome): boolean => end === 'memory_shortage' || end === 'died';

const shortOfMemory = (): DomainError =>
  new DomainError(
    'unavailable',
    'The files cannot be opened now, because the machine is short of memory. Retry later',
    RETRY_AFTER_SECONDS,
  );

const NO_READER = `Pages cannot be rendered here: the package ${REPORT_READER_PACKAGE} is not installed next to the service`;

/** Without the reader nothing can open the files. The worker that reads them refuses what is damaged, and counts pages. */
const uncounted = (types: readonly FileType[]): CheckedFiles => ({ types, pages: types.length });

/** A file that crashes its process twice is rejected like one that cannot be opened. */
function toCheckedFiles(ending: ChildOutcome): CheckedFiles {
  if (ending.end === 'limit')
    throw new DomainError(
      'bad_request',
      `The file exceeds the ${ending.of === 'memory' ? 'memory' : 'time'} limit for opening it`,
    );
  if (ending.end === 'memory_shortage') throw shortOfMemory();
  if (ending.end === 'died' || ending.text === undefined) {
    throw new DomainError('bad_request', 'The file cannot be opened');
  }
  const checked = FileCheckReply.parse(JSON.parse(ending.text));
  if ('refused' in checked) throw new DomainError('bad_request', checked.refused);
  return checked;
}
