import { afterEach, describe, expect, it, vi } from 'vitest';
import { reportPdf } from '../../../test/report-upload.ts';
import { killProcess, listReaderProcesses, waitForReaders } from '../../../test/reader-processes.ts';
import { MINUTE } from '../../platform/clock.ts';
import { openReaders, type ReportReaders } from './readers.ts';

const root = new URL('../../../', import.meta.url);
const MIB = 1024 * 1024;
const MEMORY_MB = 620;
/** Five processes start in sequence, at a lower priority than everything else. */
const PATIENCE_MS = 60_000;

const IDLE_MS = 10 * MINUTE;

let readers: ReportReaders;
const open = (): void => {
  readers = openReaders({ root, memoryBytes: MEMORY_MB * MIB, loincCsv: null, idleMs: IDLE_MS });
};
afterEach(async () => {
  vi.useRealTimers();
  await readers.stop();
});

const read = async () =>
  readers.run({
    request: { ask: 'read', loincCsv: null },
    files: [{ type: 'application/pdf', bytes: await reportPdf() }],
    limits: { totalCpuMs: 60_000, pageCpuMs: 60_000, memoryBytes: MEMORY_MB * MIB },
  });

describe.runIf(process.platform === 'linux')('the spare reader process', { timeout: PATIENCE_MS }, () => {
  it('reads one report and exits, is replaced, also after it is killed, and is killed on stop', async () => {
    open();
    expect(await listReaderProcesses(MEMORY_MB)).toEqual([]);
    const cold = await read();
    const [first = 0] = await waitForReaders(MEMORY_MB, ({ length }) => length === 1);
    const warm = await read();
    expect(warm).toEqual(cold);
    expect(warm).toMatchObject({ end: 'answered', text: expect.stringContaining('"test_name":"Glucose"') });
    const [second = 0] = await waitForReaders(
      MEMORY_MB,
      (found) => found.length === 1 && !found.includes(first),
    );
    killProcess(second);
    await waitForReaders(MEMORY_MB, (found) => found.length === 1 && !found.includes(second));
    await readers.stop();
    expect(await listReaderProcesses(MEMORY_MB)).toEqual([]);
  });

  it('exits after the idle time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    open();
    await read();
    const waiting = await waitForReaders(MEMORY_MB, ({ length }) => length === 1);
    vi.advanceTimersByTime(IDLE_MS - 1);
    expect(await listReaderProcesses(MEMORY_MB)).toEqual(waiting);
    vi.advanceTimersByTime(1);
    expect(await waitForReaders(MEMORY_MB, ({ length }) => length === 0)).toEqual([]);
  });
});
