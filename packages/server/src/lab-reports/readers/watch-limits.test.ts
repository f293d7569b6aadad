import { spawn } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runInChild } from './run-child.ts';
import { ELAPSED_FACTOR, type ChildLimits } from './watch-limits.ts';

/** Each test starts a process, on a machine that may be busy. */
const PATIENCE_MS = 60_000;
const LIMIT_MS = 1000;
const limits: ChildLimits = { totalCpuMs: 60_000, pageCpuMs: LIMIT_MS, memoryBytes: 1024 * 1024 * 1024 };

/** What the programs below share: sending a frame, and using processor time. */
const COMMON = `
  const send = (kind, text) => {
    const frame = Buffer.alloc(5 + text.length, text);
    frame.writeUInt8(kind, 0);
    frame.writeUInt32BE(text.length, 1);
    frame.write(text, 5);
    require('node:fs').writeSync(3, frame);
  };
  const usedMs = () => (process.cpuUsage().user + process.cpuUsage().system) / 1000;
  const spin = (ms) => { for (const end = usedMs() + ms; usedMs() < end;); };
  const tellPage = (page) => send(1, JSON.stringify({ page }));
  const answer = () => send(2, 'done');
  process.stdin.resume();
`;

function start(program: string) {
  const child = spawn(process.execPath, ['-e', COMMON + program], {
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  });
  return (limits: ChildLimits) =>
    runInChild(child, { request: { ask: 'read', loincCsv: null }, files: [], limits });
}

const answered = { end: 'answered', text: 'done', bytes: undefined };
const outOfTime = { end: 'limit', of: 'processor_time' };
const freezeClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

afterEach(() => {
  vi.useRealTimers();
});

describe.runIf(process.platform === 'linux')('the time limit of a process', { timeout: PATIENCE_MS }, () => {
  it('counts processor time, not time spent waiting', async () => {
    expect(await start(`setTimeout(() => (answer(), process.exit(0)), ${2 * LIMIT_MS})`)(limits)).toEqual(
      answered,
    );
  });

  it('kills a process that uses the processor, although no time passes on the clock', async () => {
    freezeClock();
    expect(await start('for (;;);')(limits)).toEqual(outOfTime);
    expect(await start('for (;;);')({ ...limits, totalCpuMs: LIMIT_MS, pageCpuMs: 60_000 })).toEqual(
      outOfTime,
    );
  });

  it('counts the threads of the process', async () => {
    freezeClock();
    const program = `new (require('node:worker_threads').Worker)('for (;;);', { eval: true });`;
    expect(await start(program)(limits)).toEqual(outOfTime);
  });

  it('restarts with every page, and the total does not', async () => {
    freezeClock();
    const program =
      'for (let page = 1; page <= 25; page += 1) { tellPage(page); spin(100); } answer(); process.exit(0);';
    expect(await start(program)({ ...limits, pageCpuMs: 2 * LIMIT_MS })).toEqual(answered);
    expect(await start(program)({ ...limits, totalCpuMs: LIMIT_MS })).toEqual(outOfTime);
  });

  it('kills a process that only waits after six times the limit on the clock', async () => {
    freezeClock();
    let outcome: unknown;
    const ending = start('setInterval(() => {}, 1000)')(limits).then((end) => (outcome = end));
    vi.advanceTimersByTime(ELAPSED_FACTOR * LIMIT_MS - 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(outcome).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(await ending).toEqual({ end: 'limit', of: 'elapsed_time' });
  });
});
