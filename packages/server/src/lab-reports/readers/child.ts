// Entry point of a worker process. It answers one request about untrusted files and exits. It has no network, no
// secrets and no database; the parent kills it when it exceeds its time or memory limit.
import { writeSync } from 'node:fs';
import os from 'node:os';
import {
  checkFiles,
  disableNetwork,
  readFiles,
  renderPageImage,
  type ExtractorLine,
  type PageWord,
  type ReportFile,
} from 'aliquot-report-reader';
import { openPipeReader } from './pipe-reader.ts';
import {
  encodeFrame,
  WorkerRequest,
  ExtractorLines,
  WARM_UP_ARGUMENT,
  WORDS_MAX,
  type ReadOutcome,
  type WorkerFrameKind,
} from './protocol.ts';
import { toExtraction } from './to-extraction.ts';
import { warmUp } from './warm-up.ts';

const OUTPUT_FD = 3;
/** Lower priority than the service, which must respond while files are read. */
const NICENESS = 5;
const ALIVE_EVERY_MS = 500;
const MICROSECONDS_PER_MS = 1000;

disableNetwork();
lowerPriority();
const inbox = openPipeReader(process.stdin);
const [, , isWarm, ownCodes = ''] = process.argv;
if (isWarm === WARM_UP_ARGUMENT) await warmUp(ownCodes === '' ? null : ownCodes);
const received = await readRequest();
if (received) {
  sendUsage();
  const alive = setInterval(sendUsage, ALIVE_EVERY_MS);
  await handleRequest(received.question, received.files);
  clearInterval(alive);
}
process.exit(0);

function lowerPriority(): void {
  try {
    os.setPriority(NICENESS);
  } catch {
    // Not permitted on every system.
  }
}

function send(kind: WorkerFrameKind, payload: Uint8Array): void {
  const bytes = encodeFrame(kind, payload);
  for (let sent = 0; sent < bytes.length;) sent += write(bytes.subarray(sent));
}

/** Returns 0 if the pipe is full; the caller then tries again. */
function write(bytes: Buffer): number {
  try {
    return writeSync(OUTPUT_FD, bytes);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0;
    throw error;
  }
}

/** Reports our memory and processor time, for systems on which the parent cannot read them. */
function sendUsage(): void {
  const { user, system } = process.cpuUsage();
  const usage = { rss: process.memoryUsage.rss(), cpuMs: (user + system) / MICROSECONDS_PER_MS };
  send('progress', Buffer.from(JSON.stringify(usage)));
}

function sendPage(page: number): void {
  send('progress', Buffer.from(JSON.stringify({ page })));
}

/** Undefined if the parent closed the pipe without a request. */
async function readRequest(): Promise<{ question: WorkerRequest; files: ReportFile[] } | undefined> {
  const line = await inbox.readLine();
  if (line === undefined) return undefined;
  const question = WorkerRequest.parse(JSON.parse(line));
  const files: ReportFile[] = [];
  for (const { type, bytes } of question.files) files.push({ type, bytes: await inbox.readBytes(bytes) });
  return { question, files };
}

/** Asks the parent to call the report extractor; no reply counts as no lines. */
async function requestExtraction(words: readonly PageWord[]): Promise<ExtractorLine[]> {
  const told = words.slice(0, WORDS_MAX).map(({ text, page, box }) => ({ text, page, box }));
  send('words', Buffer.from(JSON.stringify(told)));
  const line = await inbox.readLine();
  return line === undefined ? [] : ExtractorLines.parse(JSON.parse(line));
}

async function handleRequest(question: WorkerRequest, files: readonly ReportFile[]): Promise<void> {
  switch (question.ask) {
    case 'check':
      return send('text', Buffer.from(JSON.stringify(await checkFiles(files))));
    case 'read': {
      const { loincCsv, hasExtractor } = question;
      const askExtractor = hasExtractor ? { askExtractor: requestExtraction } : {};
      const reading = await readFiles(files, { onPage: sendPage, loincCsv, ...askExtractor });
      const outcome: ReadOutcome = 'read' in reading ? { read: toExtraction(reading.read) } : reading;
      return send('text', Buffer.from(JSON.stringify(outcome)));
    }
    case 'page':
      return send('bytes', await renderPageImage(files, question.page));
  }
}
