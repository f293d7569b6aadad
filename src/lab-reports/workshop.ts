import type { App } from '../app.ts';
import { DomainError } from '../platform/errors.ts';
import type { UploadedFile } from '../platform/http/multipart.ts';
import type { Tenant } from '../platform/tenant.ts';
import { fetchFile } from './files.ts';
import { checkTypes } from './work/check-types.ts';
import { Checked } from './work/protocol.ts';
import { runChild, type Ending, type Errand, type Limits } from './work/run-child.ts';

/** Files that may be one report: their types by their bytes, and how many pages they have. */
export type CheckedFiles = Exclude<Checked, { refused: string }>;

/** Where requests have files opened: a few processes at once, and a few requests that wait for one. */
export interface Workshop {
  /** 400 for files that are not one report. */
  check(tenant: Tenant, files: readonly UploadedFile[]): Promise<CheckedFiles>;
  /** A page of a file as a PNG, from 1. */
  page(tenant: Tenant, fileId: string, page: number): Promise<Uint8Array>;
}

const AT_ONCE = 2;
const WAITING_MAX = 32;
const CHECK_MS = 20_000;
const MIB = 1024 * 1024;
const RETRY_AFTER_SECONDS = 5;

export function openWorkshop(app: App): Workshop {
  const room = rooms(AT_ONCE, WAITING_MAX);
  const limits: Limits = {
    wholeMs: CHECK_MS,
    pageMs: CHECK_MS,
    memoryBytes: app.config.LAB_REPORT_MEMORY_MB * MIB,
  };
  const run = (errand: Pick<Errand, 'ask' | 'files'>) => runChild({ root: app.root, limits, ...errand });
  return {
    check: (tenant, files) =>
      room(async () => {
        const bytes = await Promise.all(files.map(({ key }) => fetchFile(app, tenant, key)));
        const given = files.map(({ type }, index) => ({ type, bytes: bytes[index] ?? Buffer.alloc(0) }));
        const seen = checkTypes(given);
        if ('refused' in seen) throw new DomainError('bad_request', seen.refused);
        return checkedOf(await run({ ask: { ask: 'check' }, files: given }));
      }),
    page: (tenant, fileId, page) =>
      room(async () => {
        const file = { type: '', bytes: await fetchFile(app, tenant, fileId) };
        const ending = await run({ ask: { ask: 'page', page }, files: [file] });
        if (ending.end === 'answered' && ending.bytes) return ending.bytes;
        throw new DomainError('unavailable', 'The page cannot be drawn', RETRY_AFTER_SECONDS);
      }),
  };
}

/** A file that takes its process down is refused like one that does not open. */
function checkedOf(ending: Ending): CheckedFiles {
  if (ending.end === 'limit')
    throw new DomainError('bad_request', `Opening the file takes too much ${ending.of}`);
  if (ending.end === 'died' || ending.text === undefined) {
    throw new DomainError('bad_request', 'The file cannot be opened');
  }
  const checked = Checked.parse(JSON.parse(ending.text));
  if ('refused' in checked) throw new DomainError('bad_request', checked.refused);
  return checked;
}

/** Lets so many in at once, and so many wait at the door; to more it is closed. */
function rooms(most: number, waitingMax: number): <T>(run: () => Promise<T>) => Promise<T> {
  let inside = 0;
  const waiting: (() => void)[] = [];
  return async (run) => {
    if (inside >= most) {
      if (waiting.length >= waitingMax) {
        throw new DomainError('unavailable', 'Too many files are being opened', RETRY_AFTER_SECONDS);
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else inside += 1;
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else inside -= 1;
    }
  };
}
