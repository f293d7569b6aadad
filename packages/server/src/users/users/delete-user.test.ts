import { describe, expect, it } from 'vitest';
import { runConcurrently } from '../../../test/concurrent-calls.ts';
import { order } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { DAY, HOUR } from '../../platform/clock.ts';
import { eraseUser } from './delete-user.ts';

const service = useTestService();
const team = useTestTeam(service);

const details = {
  first_name: 'Ada',
  last_name: 'Byron',
  email: 'Ada@Example.com',
  phone_number: '+14155550132',
  gender: 'female',
  dob: '1990-02-28',
  address: { first_line: '1 Main St', city: 'Phoenix', state: 'AZ', zip: '85004', country: 'US' },
};

describe('deleting a user', () => {
  it('hides the user from every read immediately', async () => {
    const own = await service.team();
    const id = await own.user('gone');
    await own.patch(`/v2/user/${id}/info`, details);
    expect((await own.delete(`/v2/user/${id}`)).json).toEqual({ success: true });
    for (const path of [
      `/v2/user/${id}`,
      '/v2/user/resolve/gone',
      `/v2/user/${id}/info/latest`,
      `/v2/user/providers/${id}`,
      `/v2/user/${id}/device`,
    ]) {
      expect([path, (await own.get(path)).status]).toEqual([path, 404]);
    }
    expect((await own.get('/v2/user')).json).toMatchObject({ users: [], total: 0 });
    expect((await own.get('/v2/team/users/search?query_id=gone')).json).toEqual([]);
    expect((await own.get('/v2/user/metrics')).json.number_of_users).toBe(0);
    expect((await own.delete(`/v2/user/${id}`)).status).toBe(404);
    expect((await own.patch(`/v2/user/${id}/info`, details)).status).toBe(404);
  });

  it('emits no more events about the user', async () => {
    const id = await team.user();
    const say = (clientUserId: string) =>
      service.ownerPool.query(
        `insert into event (team_id, environment, id, event_type, user_id, client_user_id, data, created_at)
         values ($1, $2, gen_random_uuid(), 'test.said', $3, $4, '', now()) returning id`,
        [team.tenant.teamId, team.tenant.environment, id, clientUserId],
      );
    expect((await say('before')).rowCount).toBe(1);
    await team.delete(`/v2/user/${id}`);
    expect((await say('after')).rowCount).toBe(0);
    await team.post(`/v2/user/undo_delete?user_id=${id}`);
    expect((await say('again')).rowCount).toBe(1);
  });

  it('also removes a connection that is being made concurrently', async () => {
    const id = await team.user();
    const [connected, deleted] = await runConcurrently(service, id, [
      () => team.post('/v2/link/connect/demo', { user_id: id, provider: 'fitbit' }),
      () => team.delete(`/v2/user/${id}`),
    ]);
    expect([connected?.status, deleted?.status]).toEqual([200, 200]);
    await team.post(`/v2/user/undo_delete?user_id=${id}`);
    expect((await team.get(`/v2/user/providers/${id}`)).json).toEqual({ providers: [] });
  });

  it('hides the events of the user until it is undone', async () => {
    const own = await service.team();
    const [stays, goes] = [await own.user(), await own.user()];
    const testId = await findLabTestId(own, 'walk_in_test');
    for (const user of [goes, stays, goes]) await own.post('/v3/order', order(user, testId));
    await service.settle();
    const log = async () => {
      const path = `/v1/org/${own.orgId}/team/${own.tenant.teamId}/sandbox/event?limit=1`;
      const [users, cursors] = [[], []] as [string[], number[]];
      for (let after = 0; ;) {
        const { data, next_cursor, latest } = (await own.management.get(`${path}&after=${after}`)).json;
        if (data.length === 0) return { users, isLatest: cursors.at(-1) === latest };
        users.push(data[0].body.user_id);
        cursors.push((after = next_cursor));
      }
    };
    expect(await log()).toEqual({ users: [goes, stays, goes], isLatest: true });
    await own.delete(`/v2/user/${goes}`);
    expect(await log()).toEqual({ users: [stays], isLatest: true });
    await own.post(`/v2/user/undo_delete?user_id=${goes}`);
    expect((await log()).users).toEqual([goes, stays, goes]);
  });

  it('can be undone by either id within seven days', async () => {
    const id = await team.user('regretted');
    const before = await team.get(`/v2/user/${id}`);
    for (const query of [`user_id=${id}`, 'client_user_id=regretted']) {
      await team.delete(`/v2/user/${id}`);
      service.clock.move(7 * DAY - HOUR);
      expect((await team.post(`/v2/user/undo_delete?${query}`)).json).toEqual({ success: true });
      expect((await team.get(`/v2/user/${id}`)).json).toEqual(before.json);
      expect((await team.post(`/v2/user/undo_delete?${query}`)).status).toBe(404);
    }
  });

  it('requires exactly one id to undo', async () => {
    const id = await team.user('exact');
    await team.delete(`/v2/user/${id}`);
    for (const query of ['', `?user_id=${id}&client_user_id=exact`, '?user_id=exact']) {
      expect((await team.post(`/v2/user/undo_delete${query}`)).status).toBe(422);
    }
  });

  it('cannot be undone when another user has the client user id', async () => {
    const id = await team.user('reused');
    await team.delete(`/v2/user/${id}`);
    const next = await team.user('reused');
    expect(next).not.toBe(id);
    for (const query of [`user_id=${id}`, 'client_user_id=reused']) {
      expect((await team.post(`/v2/user/undo_delete?${query}`)).status).toBe(400);
    }
    expect((await team.get('/v2/user/resolve/reused')).json.user_id).toBe(next);
  });

  it('cannot be undone when the team has reached its limit of users', async () => {
    const small = await service.team();
    await service.ownerPool.query(
      `update team_environment set settings = settings || '{"max_users": 1}' where team_id = $1`,
      [small.tenant.teamId],
    );
    const first = await small.user();
    await small.delete(`/v2/user/${first}`);
    const second = await small.user();
    const undo = () => small.post(`/v2/user/undo_delete?user_id=${first}`);
    expect(await undo()).toMatchObject({
      status: 400,
      json: { detail: 'The team has reached its limit of users in this environment (1)' },
    });
    expect((await small.get('/v2/user')).json).toMatchObject({ total: 1, users: [{ user_id: second }] });
    await small.delete(`/v2/user/${second}`);
    expect((await undo()).status).toBe(200);
  });

  it('cannot be undone by another team or after seven days', async () => {
    const id = await team.user('too-late');
    await team.delete(`/v2/user/${id}`);
    const stranger = await service.team();
    expect((await stranger.post(`/v2/user/undo_delete?user_id=${id}`)).status).toBe(404);
    service.clock.move(7 * DAY);
    expect((await team.post(`/v2/user/undo_delete?user_id=${id}`)).status).toBe(404);
  });
});

describe('erasing a user', () => {
  const rowsOf = async (id: string) => {
    const { rows } = await service.ownerPool.query('select id from app_user where id = $1', [id]);
    return rows.length;
  };

  it('happens after seven days, with all dependent data', async () => {
    const id = await team.user();
    await team.patch(`/v2/user/${id}/info`, details);
    await service.ownerPool.query(
      `insert into event (team_id, environment, id, event_type, user_id, data, created_at)
       values ($1, $2, gen_random_uuid(), 'test.said', $3, '', now())`,
      [team.tenant.teamId, team.tenant.environment, id],
    );
    await team.delete(`/v2/user/${id}`);
    service.clock.move(7 * DAY - HOUR);
    await service.settle();
    expect(await rowsOf(id)).toBe(1);
    service.clock.move(HOUR);
    await service.settle();
    const { rows: tables } = await service.ownerPool.query<{ name: string }>(
      `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'user_id'`,
    );
    for (const { name } of tables) {
      const { rowCount } = await service.ownerPool.query(`select from ${name} where user_id = $1`, [id]);
      expect([name, rowCount]).toEqual([name, 0]);
    }
    expect(await rowsOf(id)).toBe(0);
  });

  it('does not erase a restored user, and starts a new period with a second deletion', async () => {
    const id = await team.user();
    await team.delete(`/v2/user/${id}`);
    service.clock.move(6 * DAY);
    await team.post(`/v2/user/undo_delete?user_id=${id}`);
    service.clock.move(2 * DAY);
    await service.settle();
    expect((await team.get(`/v2/user/${id}`)).status).toBe(200);
    await team.delete(`/v2/user/${id}`);
    service.clock.move(6 * DAY);
    await service.settle();
    expect(await rowsOf(id)).toBe(1);
    service.clock.move(DAY);
    await service.settle();
    expect(await rowsOf(id)).toBe(0);
  });

  it('does not erase a user who was restored, or deleted again, while the job was already running', async () => {
    const id = await team.user();
    const erase = () => eraseUser([]).run(service.app, team.tenant, { user_id: id });
    await team.delete(`/v2/user/${id}`);
    await team.post(`/v2/user/undo_delete?user_id=${id}`);
    const timers = await service.ownerPool.query('select from timer where job = $1 and key = $2', [
      eraseUser([]).name,
      id,
    ]);
    expect(timers.rowCount).toBe(0);
    await erase();
    await team.delete(`/v2/user/${id}`);
    await erase();
    expect(await rowsOf(id)).toBe(1);
  });

  it('covers every table: each table with a user id has a foreign key that cascades', async () => {
    const { rows } = await service.ownerPool.query<{ name: string; cascades: boolean }>(`
      select c.relname as name, exists (
        select from pg_constraint f where f.conrelid = c.oid and f.contype = 'f' and f.confdeltype = 'c'
          and f.confrelid = 'app_user'::regclass and a.attnum = any (f.conkey)) as cascades
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      where a.attname = 'user_id' and c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace`);
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.filter(({ cascades }) => !cascades).map(({ name }) => name)).toEqual(['event']);
  });

  it('is blocked by no table: references to deleted rows cascade or become null', async () => {
    const { rows } = await service.ownerPool.query(`
      with recursive going as (
        select 'app_user'::regclass as oid
        union select f.conrelid from pg_constraint f join going on f.confrelid = going.oid
        where f.contype = 'f' and f.confdeltype = 'c')
      select f.conname from pg_constraint f join going on f.confrelid = going.oid
      where f.contype = 'f' and f.confdeltype not in ('c', 'n', 'd')`);
    expect(rows).toEqual([]);
  });
});
