import { afterEach, describe, expect, it, vi } from 'vitest';
import { reportPdf } from '../../../test/handed-in.ts';
import { end, readerProcesses, whenReaders } from '../../../test/reader-processes.ts';
import { MINUTE } from '../../platform/clock.ts';
import { openReaders, type Readers } from './readers.ts';

const root = new URL('../../../', import.meta.url);
const MIB = 1024 * 1024;
const MEMORY_MB = 620;
/** Five processes start one after the other, behind everything else that runs. */
const PATIENCE_MS = 60_000;

const IDLE_MS = 10 * MINUTE;

let readers: Readers;
const open = (): void => {
  readers = openReaders({ root, memoryBytes: MEMORY_MB * MIB, loincCsv: null, idleMs: IDLE_MS });
};
afterEach(async () => {
  vi.useRealTimers();
  await readers.stop();
});

const read = async () =>
  readers.run({
    ask: { ask: 'read', loincCsv: null },
    files: [{ type: 'application/pdf', bytes: await reportPdf() }],
    limits: { wholeMs: 60_000, pageMs: 60_000, memoryBytes: MEMORY_MB * MIB },
  });

describe.runIf(process.platform === 'linux')(
  'the process that waits for a report',
  { timeout: PATIENCE_MS },
  () => {
    it('reads one and is gone, has a successor, also when it is killed, and goes when the service stops', async () => {
      open();
      expect(await readerProcesses(MEMORY_MB)).toEqual([]);
      const cold = await read();
      const [first = 0] = await whenReaders(MEMORY_MB, ({ length }) => length === 1);
      const warm = await read();
      expect(warm).toEqual(cold);
      expect(warm).toMatchObject({ end: 'answered', text: expect.stringContaining('"test_name":"Glucose"') });
      const [second = 0] = await whenReaders(
        MEMORY_MB,
        (found) => found.length === 1 && !found.includes(first),
      );
      end(second);
      await whenReaders(MEMORY_MB, (found) => found.length === 1 && !found.includes(second));
      await readers.stop();
      expect(await readerProcesses(MEMORY_MB)).toEqual([]);
    });

    it('goes when no report comes', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      open();
      await read();
      const waiting = await whenReaders(MEMORY_MB, ({ length }) => length === 1);
      vi.advanceTimersByTime(IDLE_MS - 1);
      expect(await readerProcesses(MEMORY_MB)).toEqual(waiting);
      vi.advanceTimersByTime(1);
      expect(await whenReaders(MEMORY_MB, ({ length }) => length === 0)).toEqual([]);
    });
  },
);
