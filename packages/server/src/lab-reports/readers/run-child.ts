import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { ExtractorLine, PageWord } from '../../adapters/report-extractor/port.ts';
import type { ReportFile } from 'aliquot-report-reader/files';
import { FRAMES, createFrameDecoder, ExtractorWords, type WorkerRequest } from './protocol.ts';
import { watchLastWords, type CrashCause } from './last-words.ts';
import { startChild, type ChildOptions } from './start-child.ts';
import { watchLimits, type ChildLimits, type LimitKind } from './watch-limits.ts';

/** How a worker process ended. */
export type ChildOutcome =
  | { readonly end: 'answered'; readonly text: string | undefined; readonly bytes: Buffer | undefined }
  /** It exceeded a limit. */
  | { readonly end: 'limit'; readonly of: LimitKind }
  /** It crashed, or its task was aborted. */
  | { readonly end: 'died' }
  /** The machine is short of memory: the system killed it, or refused it memory below its own limit. */
  | MemoryShortage;

interface MemoryShortage {
  readonly end: 'memory_shortage';
  readonly by: 'kill' | 'refusal';
}

type ChildRequest<Q = WorkerRequest> = Q extends WorkerRequest ? Omit<Q, 'files' | 'hasExtractor'> : never;

export interface ChildTask {
  readonly root: URL;
  readonly request: ChildRequest;
  readonly files: readonly ReportFile[];
  readonly limits: ChildLimits;
  /** Reads lines from words in the parent process. Must not throw; has the elapsed time of one page. */
  readonly extract?: (words: readonly PageWord[]) => Promise<readonly ExtractorLine[]>;
  /** Aborting kills the process at once. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a task in a new worker process and waits for the outcome. The process gets no environment and cannot write
 * files, start processes or open connections; it is killed when it exceeds its limits. Throws only if no process can be
 * started.
 */
export async function runChild({ root, ...errand }: ChildTask): Promise<ChildOutcome> {
  const { request, limits } = errand;
  const loincCsv = request.ask === 'read' ? request.loincCsv : null;
  return startAndRun({ root, memoryBytes: limits.memoryBytes, loincCsv }, errand);
}

/** Starts a process and runs a task in it. Throws only if no process can be started. */
export async function startAndRun(
  starting: ChildOptions,
  errand: Omit<ChildTask, 'root'>,
): Promise<ChildOutcome> {
  try {
    return await runInChild(await startChild(starting), errand);
  } catch (error) {
    if (error instanceof Error && 'code' in error && NO_MEMORY.has(error.code)) return REFUSED;
    throw error;
  }
}

/** Error codes of a system that has no memory for a process, or no room in its table of processes. */
const NO_MEMORY: ReadonlySet<unknown> = new Set(['ENOMEM', 'EAGAIN']);
const REFUSED: MemoryShortage = { end: 'memory_shortage', by: 'refusal' };

/** Runs a task in a started process that has not received a request yet. */
export function runInChild(child: ChildProcess, errand: Omit<ChildTask, 'root'>): Promise<ChildOutcome> {
  return new Promise((resolve, reject) => {
    const heard: { text?: string; bytes?: Buffer } = {};
    let verdict: ChildOutcome | undefined;
    let hasAsked = false;
    const end = (ending: ChildOutcome) => {
      verdict ??= ending;
      child.kill('SIGKILL');
    };
    const causeOf = watchLastWords(child.stdio[2] as Readable);
    const watch = watchLimits(child, errand.limits, (of) => end({ end: 'limit', of }));
    const stop = () => end({ end: 'died' });
    errand.signal?.addEventListener('abort', stop);
    if (errand.signal?.aborted) stop();
    listen(
      child,
      (kind, payload) => {
        if (kind === FRAMES.text) heard.text = payload.toString();
        else if (kind === FRAMES.bytes) heard.bytes = payload;
        else if (kind === FRAMES.words && !hasAsked) {
          hasAsked = true;
          watch.nextPage();
          void answerExtraction(child, errand, ExtractorWords.parse(JSON.parse(payload.toString()))).finally(
            watch.nextPage,
          );
        } else watch.progress(payload.toString());
      },
      stop,
    );
    child.on('error', reject);
    child.on('close', (_code, signal) => {
      watch.stop();
      errand.signal?.removeEventListener('abort', stop);
      resolve(verdict ?? toChildOutcome(heard, causeOf(signal)));
    });
    sendRequest(child, errand);
  });
}

async function answerExtraction(
  child: ChildProcess,
  { extract }: Pick<ChildTask, 'extract'>,
  words: readonly PageWord[],
): Promise<void> {
  const input = child.stdin as Writable;
  const said = extract ? await extract(words) : [];
  if (!input.writableEnded) input.end(`${JSON.stringify(said)}\n`);
}

function toChildOutcome({ text, bytes }: { text?: string; bytes?: Buffer }, cause: CrashCause): ChildOutcome {
  if (text !== undefined || bytes !== undefined) return { end: 'answered', text, bytes };
  return CRASHES[cause];
}

const CRASHES: Readonly<Record<CrashCause, ChildOutcome>> = {
  own_limit: { end: 'limit', of: 'memory' },
  processor_time: { end: 'limit', of: 'processor_time' },
  memory_refused: REFUSED,
  killed: { end: 'memory_shortage', by: 'kill' },
  unknown: { end: 'died' },
};

function sendRequest(
  child: ChildProcess,
  { request, files, extract }: Pick<ChildTask, 'request' | 'files' | 'extract'>,
): void {
  const input = child.stdin as Writable;
  // The process may exit before it has read everything.
  input.on('error', () => {});
  const listed = files.map(({ type, bytes }) => ({ type, bytes: bytes.length }));
  const given = request.ask === 'read' ? { ...request, hasExtractor: extract !== undefined } : request;
  input.write(`${JSON.stringify({ ...given, files: listed })}\n`);
  for (const { bytes } of files) input.write(bytes);
  // With an extractor, the pipe stays open for the reply to a second reading.
  if (!extract) input.end();
}

function listen(
  child: ChildProcess,
  hear: (kind: number, payload: Buffer) => void,
  refuse: () => void,
): void {
  const output = child.stdio[3] as Readable;
  const read = createFrameDecoder();
  output.on('error', refuse);
  output.on('data', (piece: Buffer) => {
    try {
      for (const { kind, payload } of read(piece)) hear(kind, payload);
    } catch {
      refuse();
    }
  });
}
