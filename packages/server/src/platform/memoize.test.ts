import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { memoizeByText } from './memoize.ts';

/** Counts what is read, and answers how long it is. */
function counting() {
  const read: string[] = [];
  const lengthOf = memoizeByText((text) => {
    read.push(text);
    return { length: text.length };
  });
  return { read, lengthOf };
}

/** The retained memory, without garbage. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

it('reads each text once, and every text as it is', () => {
  const { read, lengthOf } = counting();
  const texts = ['Glucose', '', 'Glukose µ', '\ud83e', 'glucose'];
  for (const text of [...texts, ...texts]) expect(lengthOf(text)).toEqual({ length: text.length });
  expect(read).toEqual(texts);
});

it('reads a long text each time', () => {
  const { read, lengthOf } = counting();
  lengthOf('x'.repeat(201));
  lengthOf('x'.repeat(201));
  expect(read).toHaveLength(2);
});

it('caches twenty thousand texts at most', () => {
  const { read, lengthOf } = counting();
  for (let n = 0; n <= 20_000; n += 1) lengthOf(String(n));
  lengthOf('20000');
  expect(read).toHaveLength(20_001);
  lengthOf('0');
  expect(read).toHaveLength(20_002);
});

it('does not retain the text that a slice was taken from', () => {
  const { lengthOf } = counting();
  const before = heldBytes();
  for (let n = 0; n < 300; n += 1) {
    const message = `${n}`.padEnd(1_000_000, 'x');
    lengthOf(message.slice(0, 100));
  }
  expect(heldBytes() - before).toBeLessThan(100_000_000);
});
