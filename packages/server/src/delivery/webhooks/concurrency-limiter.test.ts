import { expect, it } from 'vitest';
import { attemptId } from './attempt-id.ts';
import { openDeadlines } from './deadlines.ts';
import { openConcurrencyLimiter } from './concurrency-limiter.ts';

const soon = async (met: () => boolean): Promise<void> => {
  while (!met()) await new Promise((resolve) => setTimeout(resolve, 1));
};

it('a limiter starts some requests, and the next as they end', () => {
  const gone: number[] = [];
  // None of them counts as waiting for its receiver, however long the process is suspended.
  const gate = openConcurrencyLimiter<number>((item) => void gone.push(item), 60_000);
  for (let item = 0; item < 100; item += 1) gate.submit(item);
  const atOnce = gone.length;
  expect(atOnce).toBeLessThan(100);
  expect(gate.waiting()).toBe(100 - atOnce);
  for (let item = 0; item < 100; item += 1) gate.release(item);
  expect(gone).toEqual(Array.from({ length: 100 }, (_, item) => item));
  expect(gate.waiting()).toBe(0);
});

it('a limiter is not blocked by requests that wait for their receivers', async () => {
  const gone: number[] = [];
  const gate = openConcurrencyLimiter<number>((item) => void gone.push(item));
  for (let item = 0; item < 300; item += 1) gate.submit(item);
  await soon(() => gone.length === 300);
  expect(gone).toHaveLength(300);
});

it('a deadline is reported once, in order, and not for items that finished before', async () => {
  const late: string[] = [];
  const deadlines = openDeadlines<string>(20, (item) => void late.push(item));
  for (const item of ['a', 'b', 'c']) deadlines.add(item);
  deadlines.delete('b');
  await soon(() => late.length === 2);
  deadlines.add('d');
  await soon(() => late.length === 3);
  expect(late).toEqual(['a', 'c', 'd']);
  deadlines.close();
});

it('two simultaneous attempts of one message have different ids', () => {
  const at = new Date('2026-03-02T12:00:00Z');
  const ids = Array.from({ length: 1000 }, () => attemptId('0197d6e8-1c2b-7abc-8def-0123456789ab', at));
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8def-0123456789ab$/);
});
