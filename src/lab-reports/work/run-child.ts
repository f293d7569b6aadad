import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { ExtractedLine, PageWord } from '../../adapters/report-extractor/port.ts';
import type { GivenFile } from './check-types.ts';
import { memoryOf } from './memory.ts';
import { FRAMES, frameReader, Words, type Question } from './protocol.ts';
import { startChild } from './start-child.ts';

export interface Limits {
  readonly wholeMs: number;
  /** Begins anew with every page. */
  readonly pageMs: number;
  readonly memoryBytes: number;
}

/** How a worker process came to its end. */
export type Ending =
  | { readonly end: 'answered'; readonly text: string | undefined; readonly bytes: Buffer | undefined }
  /** It took more than it was given; another time it would again. */
  | { readonly end: 'limit'; readonly of: 'time' | 'memory' }
  /** It fell, or somebody ended it. */
  | { readonly end: 'died' };

type Ask<Q = Question> = Q extends Question ? Omit<Q, 'files' | 'hasExtractor'> : never;

export interface Errand {
  readonly root: URL;
  readonly ask: Ask;
  readonly files: readonly GivenFile[];
  readonly limits: Limits;
  /** Reads lines from words outside of the process. Never throws, and answers within the time of a page, which is its own. */
  readonly extract?: (words: readonly PageWord[]) => Promise<readonly ExtractedLine[]>;
  /** Ends the process at once: its answer is not wanted any more. */
  readonly signal?: AbortSignal;
}

const LOOK_EVERY_MS = 100;

/**
 * Gives files to a process of their own and waits for what it says. It gets no environment, may write no file, start
 * no process and open no connection, and is ended when it exceeds its limits. Throws only when none can be started.
 */
export async function runChild({ root, ...errand }: Errand): Promise<Ending> {
  const { ask, limits } = errand;
  const loincCsv = ask.ask === 'read' ? ask.loincCsv : null;
  return converse(await startChild({ root, memoryBytes: limits.memoryBytes, loincCsv }), errand);
}

/** The same with a process that was started before and has been asked nothing yet. */
export function converse(child: ChildProcess, errand: Omit<Errand, 'root'>): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const heard: { text?: string; bytes?: Buffer } = {};
    let verdict: Ending | undefined;
    let hasAsked = false;
    const end = (ending: Ending) => {
      verdict ??= ending;
      child.kill('SIGKILL');
    };
    const watch = watched(child, errand.limits, end);
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
          void answer(child, errand, Words.parse(JSON.parse(payload.toString()))).finally(watch.nextPage);
        } else watch.progress(payload.toString());
      },
      stop,
    );
    child.on('error', reject);
    child.on('close', (_code, signal) => {
      watch.stop();
      errand.signal?.removeEventListener('abort', stop);
      resolve(verdict ?? endingOf(heard, signal));
    });
    tell(child, errand);
  });
}

async function answer(
  child: ChildProcess,
  { extract }: Pick<Errand, 'extract'>,
  words: readonly PageWord[],
): Promise<void> {
  const input = child.stdin as Writable;
  const said = extract ? await extract(words) : [];
  if (!input.writableEnded) input.end(`${JSON.stringify(said)}\n`);
}

function endingOf({ text, bytes }: { text?: string; bytes?: Buffer }, signal: NodeJS.Signals | null): Ending {
  if (text !== undefined || bytes !== undefined) return { end: 'answered', text, bytes };
  // So end a heap that is full, and processor time that is used up.
  if (signal === 'SIGABRT') return { end: 'limit', of: 'memory' };
  return signal === 'SIGXCPU' ? { end: 'limit', of: 'time' } : { end: 'died' };
}

function tell(child: ChildProcess, { ask, files, extract }: Pick<Errand, 'ask' | 'files' | 'extract'>): void {
  const input = child.stdin as Writable;
  // It may be gone before it has heard everything.
  input.on('error', () => {});
  const listed = files.map(({ type, bytes }) => ({ type, bytes: bytes.length }));
  const given = ask.ask === 'read' ? { ...ask, hasExtractor: extract !== undefined } : ask;
  input.write(`${JSON.stringify({ ...given, files: listed })}\n`);
  for (const { bytes } of files) input.write(bytes);
  // It may ask for a second reading.
  if (!extract) input.end();
}

function listen(
  child: ChildProcess,
  hear: (kind: number, payload: Buffer) => void,
  refuse: () => void,
): void {
  const output = child.stdio[3] as Readable;
  const read = frameReader();
  output.on('error', refuse);
  output.on('data', (piece: Buffer) => {
    try {
      for (const { kind, payload } of read(piece)) hear(kind, payload);
    } catch {
      refuse();
    }
  });
}

/** Looks after time and memory of a process. */
function watched(child: ChildProcess, limits: Limits, end: (ending: Ending) => void) {
  const late = () => end({ end: 'limit', of: 'time' });
  const heavy = (bytes: number | undefined) => {
    if (bytes !== undefined && bytes > limits.memoryBytes) end({ end: 'limit', of: 'memory' });
  };
  const whole = setTimeout(late, limits.wholeMs);
  let page = setTimeout(late, limits.pageMs);
  const look = setInterval(() => {
    if (child.pid !== undefined) void memoryOf(child.pid).then(heavy);
  }, LOOK_EVERY_MS);
  let isOver = false;
  const nextPage = () => {
    clearTimeout(page);
    if (!isOver) page = setTimeout(late, limits.pageMs);
  };
  return {
    nextPage,
    progress: (text: string) => {
      const said: unknown = JSON.parse(text);
      if (typeof said !== 'object' || said === null) return;
      if ('rss' in said && typeof said.rss === 'number') heavy(said.rss);
      if ('page' in said) nextPage();
    },
    stop: () => {
      isOver = true;
      clearTimeout(whole);
      clearTimeout(page);
      clearInterval(look);
    },
  };
}
