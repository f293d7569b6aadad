// The entry of a worker process: one question about untrusted files, one answer, and it is gone. It has no network,
// no secrets and no database, and whoever started it ends it when it takes too long or too much.
import { writeSync } from 'node:fs';
import os from 'node:os';
import type { ExtractedLine, PageWord } from '../../adapters/report-extractor/port.ts';
import { checkFiles } from './check-files.ts';
import type { GivenFile } from './check-types.ts';
import { openInbox } from './inbox.ts';
import { leaveNetwork } from './no-network.ts';
import { pageImage } from './page-image.ts';
import { frame, Question, Said, WARM, WORDS_MAX, type FrameKind } from './protocol.ts';
import { readFiles } from './read-file.ts';
import { warmUp } from './warm-up.ts';

const OUT = 3;
/** Behind the service itself, which has to answer while files are read. */
const NICENESS = 5;
const ALIVE_EVERY_MS = 500;

leaveNetwork();
lower();
const inbox = openInbox(process.stdin);
const [, , isWarm, ownCodes = ''] = process.argv;
if (isWarm === WARM) await warmUp(ownCodes === '' ? null : ownCodes);
const asked = await ask();
if (asked) {
  const alive = setInterval(tellAlive, ALIVE_EVERY_MS);
  await answer(asked.question, asked.files);
  clearInterval(alive);
}
process.exit(0);

function lower(): void {
  try {
    os.setPriority(NICENESS);
  } catch {
    // Not everywhere may a process do so.
  }
}

function send(kind: FrameKind, payload: Uint8Array): void {
  const bytes = frame(kind, payload);
  for (let sent = 0; sent < bytes.length;) sent += write(bytes.subarray(sent));
}

/** A pipe that is full asks to be tried again. */
function write(bytes: Buffer): number {
  try {
    return writeSync(OUT, bytes);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0;
    throw error;
  }
}

/** Where nobody can look at our memory from outside, we say how much it is. */
function tellAlive(): void {
  send('progress', Buffer.from(JSON.stringify({ rss: process.memoryUsage.rss() })));
}

function tellPage(page: number): void {
  send('progress', Buffer.from(JSON.stringify({ page })));
}

/** Undefined when whoever started it needs it no more. */
async function ask(): Promise<{ question: Question; files: GivenFile[] } | undefined> {
  const line = await inbox.line();
  if (line === undefined) return undefined;
  const question = Question.parse(JSON.parse(line));
  const files: GivenFile[] = [];
  for (const { type, bytes } of question.files) files.push({ type, bytes: await inbox.bytes(bytes) });
  return { question, files };
}

/** Whoever started this process asks for it; nothing said is as good as nothing found. */
async function askOutside(words: readonly PageWord[]): Promise<ExtractedLine[]> {
  const told = words.slice(0, WORDS_MAX).map(({ text, page, box }) => ({ text, page, box }));
  send('words', Buffer.from(JSON.stringify(told)));
  const line = await inbox.line();
  return line === undefined ? [] : Said.parse(JSON.parse(line));
}

async function answer(question: Question, files: readonly GivenFile[]): Promise<void> {
  switch (question.ask) {
    case 'check':
      return send('text', Buffer.from(JSON.stringify(await checkFiles(files))));
    case 'read': {
      const { loincCsv, hasExtractor } = question;
      const askExtractor = hasExtractor ? { askExtractor: askOutside } : {};
      const outcome = await readFiles(files, { tellPage, loincCsv, ...askExtractor });
      return send('text', Buffer.from(JSON.stringify(outcome)));
    }
    case 'page':
      return send('bytes', await pageImage(files, question.page));
  }
}
