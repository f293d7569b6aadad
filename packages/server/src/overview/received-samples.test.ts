import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { useTestService } from '../../test/service-hooks.ts';
import type { TestTeam } from '../../test/service.ts';
import { inTenant, readTenant, type Work } from '../app.ts';
import { DAY, isoTimestamp, later, SECOND } from '../platform/clock.ts';
import { countReceived } from '../wearables/samples/samples.ts';
import { readTrends } from './trends.ts';

const service = useTestService();

/** Pushes heart rates of every five seconds, measured before now. */
async function push(team: TestTeam, userId: string, count: number, value = 60) {
  const data = Array.from({ length: count }, (_, n) => ({
    timestamp: isoTimestamp(later(service.clock.now(), (n - count) * 5 * SECOND)),
    value,
  }));
  const body = { source: { provider: 'apple_health_kit', type: 'watch' }, data };
  const pushed = await team.post(`/v2/timeseries/${userId}/heartrate`, body);
  expect(pushed.status, pushed.text).toBe(200);
}

const trendOf = async (team: TestTeam, query = 'days=3'): Promise<number[]> =>
  (await team.get(`/v1/overview/trends?${query}`)).json.data.map(
    ({ samples }: { samples: number }) => samples,
  );

describe('the samples of devices on the trends', () => {
  it('are counted on the day when they came, once each, and again where they changed', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const [ada, bea] = [await team.user(), await team.user()];
    await push(team, ada, 3);
    expect(await trendOf(team)).toEqual([0, 0, 3]);
    await push(team, ada, 3);
    expect(await trendOf(team)).toEqual([0, 0, 3]);
    await push(team, ada, 2, 61);
    await push(team, bea, 500);
    expect(await trendOf(team)).toEqual([0, 0, 505]);
    service.clock.move(DAY);
    await push(team, bea, 7);
    expect(await trendOf(team)).toEqual([0, 505, 7]);
    expect(await trendOf(other)).toEqual([0, 0, 0]);
  });

  it('are counted by the days of every time zone', async () => {
    const team = await service.team();
    const user = await team.user();
    const { tenant } = team;
    // 18:20 UTC is the next day in Kathmandu, which is 5:45 ahead; 18:10 is not.
    const day = service.clock.now().toISOString().slice(0, 10);
    for (const [time, count] of [
      ['18:10', 1],
      ['18:20', 10],
    ] as const)
      await inTenant(service.app, tenant, async (work) => {
        const now = later(new Date(`${day}T${time}:00Z`), -3 * DAY);
        countReceived({ ...work, tenant, now }, user, count);
      });
    expect((await trendOf(team, 'days=9&time_zone=Asia/Kathmandu')).filter((n) => n > 0)).toEqual([1, 10]);
    expect((await trendOf(team, 'days=9')).filter((n) => n > 0)).toEqual([11]);
  });

  it('are not counted where the transaction of the samples fails', async () => {
    const team = await service.team();
    const user = await team.user();
    const failed = inTenant(service.app, team.tenant, async (work) => {
      countReceived(work, user, 5);
      await sql`select 1 / 0`.execute(work.tx);
    });
    await expect(failed).rejects.toThrow('division by zero');
    expect(await trendOf(team)).toEqual([0, 0, 0]);
  });

  it('of one user do not wait for the open transaction of another', async () => {
    const team = await service.team();
    const id = (end: string) => `01900000-0000-7000-8000-00000000${end}`;
    await inTenant(service.app, team.tenant, async (work) => {
      countReceived(work, id('0001'), 1);
      await sql`select 1`.execute(work.tx);
      // Would wait for ever, as this transaction ends after it.
      await inTenant(service.app, team.tenant, async (second) => countReceived(second, id('0002'), 2));
    });
    expect(await trendOf(team)).toEqual([0, 0, 3]);
  });

  it('cost the same whether few or many came', async () => {
    const team = await service.team();
    const user = await team.user();
    const cost = () =>
      readTenant(service.app, team.tenant, async (work) => {
        const before = await rowsRead(work);
        const days = await readTrends(work, { days: 30, zone: 'UTC' });
        return { rows: (await rowsRead(work)) - before, samples: days.at(-1)?.samples };
      });
    await push(team, user, 10);
    expect(await cost()).toEqual({ rows: 1, samples: 10 });
    await push(team, user, 5000, 61);
    await push(team, user, 5000, 62);
    expect(await cost()).toEqual({ rows: 1, samples: 10_010 });
  });

  it('are forgotten after 400 days by the compaction', async () => {
    const team = await service.team();
    const user = await team.user();
    await push(team, user, 4);
    service.clock.move(401 * DAY);
    await push(team, user, 4);
    service.clock.move(3 * DAY);
    await service.settle();
    const { rows } = await service.ownerPool.query(
      'select received::int from sample_tally where team_id = $1',
      [team.tenant.teamId],
    );
    expect(rows).toEqual([{ received: 4 }]);
  });
});

/** Rows of samples and their counts that this transaction has fetched from tables or indexes. */
async function rowsRead({ tx }: Work): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables
    where relname like 'sample%'`.execute(tx);
  return rows[0]?.rows ?? 0;
}
