import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fitbit, heartrate, oura, sampleAccess, sampleAt } from '../../../test/sample-access.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { inTenant } from '../../app.ts';
import { MINUTE } from '../../platform/clock.ts';
import { compactUser } from './compact.ts';
import { deleteSamples, putSamples, type SampleDeletion } from './samples.ts';

let service: TestService;
let team: TestTeam;
let access: ReturnType<typeof sampleAccess>;
let userId: string;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
  access = sampleAccess(service, team);
});
beforeEach(async () => {
  userId = await team.user();
});
afterAll(() => service.close());

const OLD = Date.UTC(2026, 0, 10);
const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);
const at = (minutes: readonly number[], value = 0) =>
  minutes.map((minute) => sampleAt(OLD + minute * MINUTE, minute + value));
const put = (minutes: readonly number[], origin = fitbit, user = userId) =>
  access.put(user, heartrate(origin, at(minutes)));
const compact = () => compactUser(service.app, team.tenant, { userId, sizes: { chunk: 8, growUntil: 4 } });
/** Deletes the minutes of [from, to). */
const remove = (from: number, to: number, more: Partial<SampleDeletion> = {}) =>
  inTenant(service.app, team.tenant, (work) =>
    deleteSamples(work, userId, {
      provider: 'fitbit',
      resources: ['heartrate'],
      from: OLD + from * MINUTE,
      to: OLD + to * MINUTE,
      ...more,
    }),
  );
const minutes = async (provider = 'fitbit', user = userId) =>
  (await access.read(user, { provider })).map(({ sample }) => (sample.at - OLD) / MINUTE);
const chunks = async () =>
  (await access.chunks(userId)).map(({ first_at: first, last_at: last, count }) => [
    (first - OLD) / MINUTE,
    (last - OLD) / MINUTE,
    count,
  ]);
const lastAt = async () =>
  (await service.ownerPool.query('select last_at from sample_stream where user_id = $1', [userId])).rows[0]
    .last_at;

describe('a deleted range', () => {
  // Three chunks: 0 to 7, 8 to 15 and 16 to 23.
  // prettier-ignore
  const cases: [string, [number, number], [number, number, number][]][] = [
    ['of exactly one chunk',            [8, 16],   [[0, 7, 8], [16, 23, 8]]],
    ['of the end of a chunk',           [5, 8],    [[0, 4, 5], [8, 15, 8], [16, 23, 8]]],
    ['of the beginning of a chunk',     [8, 9],    [[0, 7, 8], [9, 15, 7], [16, 23, 8]]],
    ['within a chunk',                  [10, 12],  [[0, 7, 8], [8, 15, 6], [16, 23, 8]]],
    ['across chunks',                   [6, 18],   [[0, 5, 6], [18, 23, 6]]],
    ['up to the first sample',          [-9, 0],   [[0, 7, 8], [8, 15, 8], [16, 23, 8]]],
    ['after the last sample',           [24, 99],  [[0, 7, 8], [8, 15, 8], [16, 23, 8]]],
    ['of everything',                   [-9, 99],  []],
  ];
  it.each(cases)('%s', async (_what, [from, to], left) => {
    await put(range(0, 24));
    await compact();
    for (let n = 0; n < 2; n += 1) {
      await remove(from, to);
      expect(await chunks()).toEqual(left);
      expect(await minutes()).toEqual(range(0, 24).filter((minute) => minute < from || minute >= to));
    }
    const last = left.at(-1)?.[1];
    expect(await lastAt()).toBe(last === undefined ? null : OLD + last * MINUTE);
  });

  it('is deleted from rows, segments and chunks, so that no earlier value appears', async () => {
    await put(range(0, 6));
    await compact();
    await access.put(userId, heartrate(fitbit, at([2, 3], 100)));
    await put(range(6, 6));
    await access.put(userId, heartrate(fitbit, at([7], 100)));
    await put([12]);
    await remove(3, 9);
    expect(await minutes()).toEqual([0, 1, 2, 9, 10, 11, 12]);
    await compact();
    expect(await minutes()).toEqual([0, 1, 2, 9, 10, 11, 12]);
  });

  it('can be filled again', async () => {
    await put(range(0, 12));
    await compact();
    await remove(4, 99);
    expect((await put(range(2, 10))).created).toHaveLength(8);
    expect(await minutes()).toEqual(range(0, 12));
    await compact();
    expect(await minutes()).toEqual(range(0, 12));
  });

  it('is of one user, provider and resource', async () => {
    const other = await team.user();
    await put(range(0, 6));
    await put(range(0, 6), oura);
    await put(range(0, 6), fitbit, other);
    await access.put(userId, { ...heartrate(fitbit, at(range(0, 6))), resource: 'hrv' });
    await remove(0, 6);
    expect(await minutes()).toEqual([]);
    expect(await minutes('oura')).toEqual(range(0, 6));
    expect(await minutes('fitbit', other)).toEqual(range(0, 6));
    expect(await access.read(userId, { resource: 'hrv' })).toHaveLength(6);
  });

  it('is only of the samples measured in one workout, if it names one', async () => {
    const workoutId = '0198a3a0-0000-4000-8000-000000000001';
    const run = { ...fitbit, workout: { key: 'w1', sport: 'running' } };
    const inRun = (some: readonly number[]) =>
      inTenant(service.app, team.tenant, (work) =>
        putSamples(work, userId, { ...heartrate(run, at(some)), workoutId }),
      );
    await put(range(0, 5));
    await inRun(range(5, 5));
    await put(range(10, 5));
    await compact();
    await inRun(range(15, 5));
    await inRun([20]);
    await put(range(21, 5));
    await remove(0, 99, { workoutId, resources: undefined });
    expect(await minutes()).toEqual([...range(0, 5), ...range(10, 5), ...range(21, 5)]);
    await remove(0, 99, { workoutId: '0198a3a0-0000-4000-8000-000000000002' });
    expect(await minutes()).toHaveLength(15);
  });

  it('comes back if its transaction is rolled back', async () => {
    await put(range(0, 12));
    await compact();
    const failing = inTenant(service.app, team.tenant, async (work) => {
      const span = { from: OLD, to: OLD + 5 * MINUTE };
      await deleteSamples(work, userId, { provider: 'fitbit', resources: ['heartrate'], ...span });
      throw new Error('stop');
    });
    await expect(failing).rejects.toThrow('stop');
    expect(await minutes()).toEqual(range(0, 12));
  });
});
