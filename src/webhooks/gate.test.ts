import { expect, it } from 'vitest';
import { attemptId } from './attempt-id.ts';
import { openDeadlines } from './deadlines.ts';
import { openGate } from './gate.ts';

const soon = async (met: () => boolean): Promise<void> => {
  while (!met()) await new Promise((resolve) => setTimeout(resolve, 1));
};

it('a gate lets some go, and the next as they end', () => {
  const gone: number[] = [];
  // None of them is thought to wait for its receiver, however long the process stands still.
  const gate = openGate<number>((item) => void gone.push(item), 60_000);
  for (let item = 0; item < 100; item += 1) gate.enter(item);
  const atOnce = gone.length;
  expect(atOnce).toBeLessThan(100);
  expect(gate.waiting()).toBe(100 - atOnce);
  for (let item = 0; item < 100; item += 1) gate.leave(item);
  expect(gone).toEqual(Array.from({ length: 100 }, (_, item) => item));
  expect(gate.waiting()).toBe(0);
});

it('a gate is not held by those that wait for their receivers', async () => {
  const gone: number[] = [];
  const gate = openGate<number>((item) => void gone.push(item));
  for (let item = 0; item < 300; item += 1) gate.enter(item);
  await soon(() => gone.length === 300);
  expect(gone).toHaveLength(300);
});

it('a deadline is told of once, in the order of the ends, and not of what was done before', async () => {
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

it('two attempts at one message at one moment have two ids', () => {
  const at = new Date('2026-03-02T12:00:00Z');
  const ids = Array.from({ length: 1000 }, () => attemptId('0197d6e8-1c2b-7abc-8def-0123456789ab', at));
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8def-0123456789ab$/);
});
