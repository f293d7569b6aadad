import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House } from '../../../test/house.ts';
import type { ReadingAt } from '../../adapters/lab-network/port.ts';
import { forgetReading, recallReading, rememberReading } from './readings.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const at: ReadingAt = {
  lab: 'labcorp',
  accountNumber: '1',
  timeZone: 'America/New_York',
  arrivedAt: new Date('2026-03-02T15:00:00Z'),
};
const remember = (id: string, sizeBytes = 1000) =>
  rememberReading(house.app, id, { reports: [], at, sizeBytes });

describe('what was read of a message', () => {
  it('is there once for who takes it', () => {
    remember('a');
    expect(recallReading(house.app, 'a', { ...at })).toEqual([]);
    expect(recallReading(house.app, 'a', at)).toBeUndefined();
  });

  // prettier-ignore
  it.each<[string, Partial<ReadingAt>]>([
    ['laboratory', { lab: 'quest' }],
    ['account',    { accountNumber: null }],
    ['time zone',  { timeZone: 'UTC' }],
    ['moment',     { arrivedAt: new Date('2026-03-02T15:00:01Z') }],
  ])('does not count where the %s is another one since', (_what, changed) => {
    remember('b');
    expect(recallReading(house.app, 'b', { ...at, ...changed })).toBeUndefined();
  });

  it('is forgotten for a message that was there before', () => {
    remember('c');
    forgetReading(house.app, 'c');
    expect(recallReading(house.app, 'c', at)).toBeUndefined();
  });

  it('is a few megabytes at most, the newest', () => {
    const ids = Array.from({ length: 100 }, (_, index) => `d${index}`);
    for (const id of ids) remember(id, 1024 * 1024);
    const known = ids.filter((id) => recallReading(house.app, id, at) !== undefined);
    expect(known).toEqual(ids.slice(-known.length));
    expect(known.length).toBeLessThan(10);
    remember('whole', 1024 ** 3);
    expect(recallReading(house.app, 'whole', at)).toBeUndefined();
  });

  it('is not kept by a process that takes nothing', () => {
    const app = { ...house.app, config: { ...house.app.config, ROLE: 'api' as const } };
    rememberReading(app, 'e', { reports: [], at, sizeBytes: 1 });
    expect(recallReading(house.app, 'e', at)).toBeUndefined();
  });
});
