import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fitbit, heartrate, oura, sampleAccess, sampleAt } from '../../../test/sample-access.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { inTenant } from '../../app.ts';
import { DAY, HOUR, later, MINUTE } from '../../platform/clock.ts';
import { compactUser, type ChunkSizes } from './compact.ts';
import { getClosedUntil, scheduleCompaction } from './schedule-compaction.ts';

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
const at = (...minutes: number[]) => minutes.map((minute) => sampleAt(OLD + minute * MINUTE, minute));
const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);
const put = (...minutes: number[]) => access.put(userId, heartrate(fitbit, at(...minutes)));
const SIZES: ChunkSizes = { chunk: 8, growUntil: 4 };
const compact = (sizes = SIZES) => compactUser(service.app, team.tenant, { userId, sizes });
/** The first and last minute and the number of samples of each chunk or segment. */
const layout = (blocks: readonly { first_at: number; last_at: number; count: number }[]) =>
  blocks.map(({ first_at: first, last_at: last, count }) => [
    (first - OLD) / MINUTE,
    (last - OLD) / MINUTE,
    count,
  ]);
const streamOf = async () =>
  (
    await service.ownerPool.query(
      'select rows_from, chunks_to, last_at from sample_stream where user_id = $1 order by id',
      [userId],
    )
  ).rows;
const timers = async () =>
  (
    await service.ownerPool.query<{ key: string; due_at: Date }>(
      `select key, due_at from timer where job = 'samples.fold' and key like $1 order by key`,
      [`${userId}%`],
    )
  ).rows;

describe('compaction into chunks of at most eight, which grow until they have four', () => {
  // prettier-ignore
  const cases: [string, number[][], number[][]][] = [
    ['few samples',                           [range(0, 3)],                                  [[0, 2, 3]]],
    ['as many as one chunk has',              [range(0, 8)],                                  [[0, 7, 8]]],
    ['one more: two equal chunks',            [range(0, 9)],                                  [[0, 4, 5], [5, 8, 4]]],
    ['more than two chunks',                  [range(0, 17)],                                 [[0, 5, 6], [6, 11, 6], [12, 16, 5]]],
    ['later samples after a small chunk',     [range(0, 3), range(10, 3)],                    [[0, 12, 6]]],
    ['later samples after a large chunk',     [range(0, 4), range(10, 3)],                    [[0, 3, 4], [10, 12, 3]]],
    ['earlier samples before a small chunk',  [range(10, 3), range(0, 3)],                    [[0, 12, 6]]],
    ['earlier samples before a large chunk',  [range(10, 4), range(0, 3)],                    [[0, 2, 3], [10, 13, 4]]],
    ['samples within a chunk',                [[0, 10, 20, 30], [5, 15]],                     [[0, 30, 6]]],
    ['samples within a full chunk',           [range(0, 8).map((n) => n * 10), [5]],          [[0, 30, 5], [40, 70, 4]]],
    ['samples between two chunks',            [range(0, 4), range(20, 4), [10]],              [[0, 3, 4], [10, 10, 1], [20, 23, 4]]],
    ['samples between a large and a small',   [range(0, 4), range(20, 2), [10]],              [[0, 3, 4], [10, 21, 3]]],
    ['samples on both sides of a chunk',      [range(10, 4), [0, 1, 20, 21]],                 [[0, 1, 2], [10, 13, 4], [20, 21, 2]]],
  ];
  it.each(cases)('of %s', async (_what, puts, chunks) => {
    for (const minutes of puts) {
      await put(...minutes);
      await compact();
    }
    const all = [...new Set(puts.flat())].toSorted((a, b) => a - b);
    expect(layout(await access.chunks(userId))).toEqual(chunks);
    expect(await access.young(userId)).toEqual({ rows: 0, inSegments: 0 });
    expect((await access.read(userId)).map(({ sample }) => sample)).toEqual(at(...all));
    const end = OLD + (all.at(-1) ?? 0) * MINUTE;
    expect(await streamOf()).toEqual([{ rows_from: null, chunks_to: end + 1, last_at: end }]);
  });

  it('replaces samples by rows and segments of the same times', async () => {
    await put(...range(0, 6));
    await compact();
    const changed = range(2, 3).map((n) => sampleAt(OLD + n * MINUTE, 100 + n));
    const { created, updated } = await access.put(userId, heartrate(fitbit, changed));
    expect([created, updated]).toEqual([[], changed]);
    await compact();
    expect((await access.read(userId)).map(({ sample }) => sample.value)).toEqual([0, 1, 102, 103, 104, 5]);
    await access.put(userId, heartrate(fitbit, [sampleAt(OLD + 5 * MINUTE, 105)]));
    await compact();
    expect((await access.read(userId)).map(({ sample }) => sample.value)).toEqual([0, 1, 102, 103, 104, 105]);
    expect(layout(await access.chunks(userId))).toEqual([[0, 5, 6]]);
  });

  it('takes all streams of the user, and no other user’s', async () => {
    const stranger = await team.user();
    await put(...range(0, 3));
    await access.put(userId, heartrate(oura, at(...range(5, 5))));
    await access.put(stranger, heartrate(fitbit, at(...range(0, 5))));
    await compact();
    expect(layout(await access.chunks(userId))).toEqual([
      [0, 2, 3],
      [5, 9, 5],
    ]);
    expect([await access.chunks(stranger), layout(await access.segments(stranger))]).toEqual([
      [],
      [[0, 4, 5]],
    ]);
  });

  it('leaves the days that are still open, but takes a segment that began before', async () => {
    const closed = await inTenant(service.app, team.tenant, async (work) => getClosedUntil(work));
    expect(closed).toBe(Date.UTC(2026, 1, 28));
    const from = (minute: number) => (closed - OLD) / MINUTE + minute;
    await put(...range(from(-3), 6));
    await put(...range(from(60), 2));
    await put(...range(from(120), 5));
    await compact();
    expect(layout(await access.chunks(userId))).toEqual([[from(-3), from(2), 6]]);
    expect(layout(await access.segments(userId))).toEqual([[from(120), from(124), 5]]);
    expect(await access.young(userId)).toEqual({ rows: 2, inSegments: 5 });
    expect(await streamOf()).toMatchObject([
      { rows_from: closed + 60 * MINUTE, chunks_to: closed + 2 * MINUTE + 1 },
    ]);
    expect((await access.read(userId)).map(({ sample }) => sample.at)).toEqual(
      [...range(-3, 6), 60, 61, ...range(120, 5)].map((minute) => closed + minute * MINUTE),
    );
    // The first open sample is exactly at the end of the closed days.
    const second = await team.user();
    await access.put(second, heartrate(fitbit, [sampleAt(closed, 1)]));
    await compactUser(service.app, team.tenant, { userId: second, sizes: SIZES });
    expect(await access.young(second)).toEqual({ rows: 1, inSegments: 0 });
  });

  it('ends with the last sample', async () => {
    await put(...range(0, 3));
    let transactions = 0;
    const count = () => void (transactions += 1);
    await service.settle();
    service.app.db.pool.on('acquire', count);
    await compact();
    service.app.db.pool.off('acquire', count);
    expect(await access.chunks(userId)).toHaveLength(1);
    // One for the chunk, one that finds nothing more, and a few of other workers.
    expect(transactions).toBeLessThan(50);
  });
});

describe('the next compaction', () => {
  it('after the last one is due in the first hours of the next day, if open days have samples', async () => {
    const now = service.clock.now().getTime();
    await access.put(userId, heartrate(fitbit, [sampleAt(now - HOUR, 1)]));
    await service.ownerPool.query('delete from timer where key like $1', [`${userId}%`]);
    await compact();
    const [timer, ...others] = await timers();
    const nextDay = (Math.floor(now / DAY) + 1) * DAY;
    expect([timer?.key, others]).toEqual([`${userId}/day`, []]);
    expect(timer?.due_at.getTime()).toBeGreaterThanOrEqual(nextDay);
    expect(timer?.due_at.getTime()).toBeLessThan(nextDay + 6 * HOUR);
  });

  it('is not scheduled if nothing is left', async () => {
    await put(...range(0, 3));
    await service.ownerPool.query('delete from timer where key like $1', [`${userId}%`]);
    await compact();
    expect(await timers()).toEqual([]);
  });

  // prettier-ignore
  const jitters: [end: string, isLate: boolean, expectedMs: number][] = [
    ['00000000', false, 0],
    ['80000000', false, 3 * HOUR],
    ['ffffffff', false, 6 * HOUR - 1],
    ['00000000', true,  0],
    ['80000000', true,  5 * MINUTE],
    ['40000000', true,  2.5 * MINUTE],
  ];
  it.each(jitters)(
    'of a user whose id ends in %s, late: %s, is %i ms after its period',
    async (end, isLate, afterMs) => {
      const user = `${userId.slice(0, -8)}${end}`;
      const due = await inTenant(service.app, team.tenant, async (work) => {
        await scheduleCompaction(work, user, getClosedUntil(work) - (isLate ? 1 : 0));
        const rows = await work.tx
          .selectFrom('timer')
          .select(['key', 'due_at'])
          .where('key', 'like', `${user}%`)
          .execute();
        await work.tx.deleteFrom('timer').where('key', 'like', `${user}%`).execute();
        return { rows, now: work.now.getTime() };
      });
      const every = isLate ? HOUR : DAY;
      const period = new Date((Math.floor(due.now / every) + 1) * every);
      expect(due.rows).toEqual([
        { key: `${user}/${isLate ? 'late' : 'day'}`, due_at: later(period, afterMs) },
      ]);
    },
  );
});
