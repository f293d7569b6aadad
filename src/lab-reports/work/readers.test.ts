import { describe, expect, it } from 'vitest';
import { reportPdf } from '../../../test/handed-in.ts';
import { end, readerProcesses, whenReaders } from '../../../test/reader-processes.ts';
import { openReaders, type Readers } from './readers.ts';

const root = new URL('../../../', import.meta.url);
const MIB = 1024 * 1024;
const MEMORY_MB = 620;
const opened = (idleMs?: number): Readers =>
  openReaders({
    root,
    memoryBytes: MEMORY_MB * MIB,
    loincCsv: null,
    ...(idleMs === undefined ? {} : { idleMs }),
  });
const read = async (readers: Readers) =>
  readers.run({
    ask: { ask: 'read', loincCsv: null },
    files: [{ type: 'application/pdf', bytes: await reportPdf() }],
    limits: { wholeMs: 60_000, pageMs: 60_000, memoryBytes: MEMORY_MB * MIB },
  });

describe.runIf(process.platform === 'linux')('the process that waits for a report', () => {
  it('reads one and is gone, has a successor, also when it is killed, and goes when the service stops', async () => {
    const readers = opened();
    expect(await readerProcesses(MEMORY_MB)).toEqual([]);
    const cold = await read(readers);
    const [first = 0] = await whenReaders(MEMORY_MB, ({ length }) => length === 1);
    const warm = await read(readers);
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
    const readers = opened(500);
    await read(readers);
    await whenReaders(MEMORY_MB, ({ length }) => length === 1);
    expect(await whenReaders(MEMORY_MB, ({ length }) => length === 0)).toEqual([]);
    await readers.stop();
  });
});
