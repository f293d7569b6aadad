import { describe, expect, it } from 'vitest';
import { useTestService } from '../../../test/service-hooks.ts';
import type { TestTeam } from '../../../test/service.ts';
import { DAY } from '../../platform/clock.ts';

const service = useTestService();

const totalOf = async (team: TestTeam): Promise<number> => (await team.get('/v2/user?limit=1')).json.total;

/** The count as the database has it in rows of users, and in how many parts the kept one is. */
async function countedOf({ tenant }: TestTeam): Promise<{ users: number; parts: number }> {
  const { rows } = await service.ownerPool.query<{ users: number; parts: number }>(
    `select (select count(*)::int from app_user where team_id = $1 and environment = $2 and deleted_at is null) as users,
       (select count(*)::int from user_tally where team_id = $1 and environment = $2) as parts`,
    [tenant.teamId, tenant.environment],
  );
  const [row] = rows;
  if (!row) throw new Error('The query has one row');
  return row;
}

describe('the count of users', () => {
  it('follows creation, deletion, restoration and erasure, for each team by itself', async () => {
    const [team, other] = [await service.team(), await service.team()];
    expect(await totalOf(team)).toBe(0);
    const [first] = [await team.user('first'), await team.user('second'), await other.user('theirs')];
    expect(await totalOf(team)).toBe(2);
    await team.delete(`/v2/user/${first}`);
    expect(await totalOf(team)).toBe(1);
    await team.post(`/v2/user/undo_delete?user_id=${first}`);
    expect(await totalOf(team)).toBe(2);
    await team.delete(`/v2/user/${first}`);
    service.clock.move(8 * DAY);
    await service.settle();
    expect(await totalOf(team)).toBe(1);
    await team.patch(`/v2/user/${await team.user('third')}`, { fallback_time_zone: 'Europe/Rome' });
    expect(await totalOf(team)).toBe(2);
    expect(await totalOf(other)).toBe(1);
    expect((await countedOf(team)).users).toBe(2);
  });

  it('is exact after many who create and delete at the same time, and counts nothing that failed', async () => {
    const team = await service.team();
    const names = Array.from({ length: 60 }, (_, index) => `user-${index}`);
    const ids = await Promise.all(names.map((name) => team.user(name)));
    await Promise.all([
      ...ids.slice(0, 20).map((id) => team.delete(`/v2/user/${id}`)),
      ...names.map((name) => team.post('/v2/user', { client_user_id: `${name}-more` })),
      ...names.slice(20).map((name) => team.post('/v2/user', { client_user_id: name })),
    ]);
    const { users, parts } = await countedOf(team);
    expect(await totalOf(team)).toBe(users);
    expect(users).toBe(100);
    // One for each connection that once wrote beside others, and not one for each user.
    expect(parts).toBeLessThanOrEqual(20);
  });

  it('does not wait for a writer, nor a writer for another', async () => {
    const team = await service.team();
    await team.user('before');
    const writer = await service.ownerPool.connect();
    try {
      await writer.query('begin');
      await writer.query(
        `insert into app_user (team_id, environment, id, client_user_id, created_at)
         values ($1, $2, gen_random_uuid(), 'open', now())`,
        [team.tenant.teamId, team.tenant.environment],
      );
      await team.user('meanwhile');
      expect(await totalOf(team)).toBe(2);
      await writer.query('rollback');
    } finally {
      writer.release();
    }
    expect(await totalOf(team)).toBe(2);
  });

  it('is kept when one statement writes users of many teams', async () => {
    const [team, other] = [await service.team(), await service.team()];
    await service.ownerPool.query(
      `insert into app_user (team_id, environment, id, client_user_id, created_at, deleted_at)
       select t.id, 'sandbox', gen_random_uuid(), 'bulk-' || n, now(), case when n > 90 then now() end
       from unnest($1::uuid[]) as t (id), generate_series(1, 100) n`,
      [[team.tenant.teamId, other.tenant.teamId]],
    );
    expect([await totalOf(team), await totalOf(other)]).toEqual([90, 90]);
    await service.ownerPool.query(
      `delete from app_user where client_user_id in ('bulk-1', 'bulk-2', 'bulk-95')`,
    );
    expect([await totalOf(team), await totalOf(other)]).toEqual([88, 88]);
  });
});
