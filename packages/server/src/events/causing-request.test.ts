import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { inTenant } from '../app.ts';
import { order } from '../../test/examples.ts';
import { findLabTestId } from '../../test/orders.ts';
import type { TestTeam } from '../../test/service.ts';
import { useTestService } from '../../test/service-hooks.ts';
import { DAY } from '../platform/clock.ts';

const service = useTestService();

it('an event names the request that caused it, and none if a job did', async () => {
  const team = await service.team();
  const body = order(await team.user(), await findLabTestId(team, 'testkit'));
  const placed = await team.post('/v3/order', body, { 'x-request-id': 'the-cause' });
  const { id } = placed.json.order;
  expect((await team.post(`/v3/order/${id}/test?delay=60`)).status).toBe(200);
  service.clock.move(DAY);
  await service.settle();
  const log = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/event`;
  const { data } = (await team.management.get(`${log}?event_type=labtest.order.*`)).json;
  expect(data[0]).toMatchObject({ event_type: 'labtest.order.created', request_id: 'the-cause' });
  expect(data[0].body).not.toHaveProperty('request_id');
  expect(data.at(-1)).toMatchObject({ event_type: 'labtest.order.updated', request_id: null });
});

it('a repeated request causes one event, of the request that made it', async () => {
  const team = await service.team();
  const body = order(await team.user(), await findLabTestId(team, 'testkit'));
  const headers = { 'x-idempotency-key': 'once' };
  for (const cause of ['first', 'second'])
    await team.post('/v3/order', body, { ...headers, 'x-request-id': cause });
  await service.settle();
  const log = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/event`;
  const { data } = (await team.management.get(`${log}?event_type=labtest.order.created`)).json;
  expect(data.map((event: { request_id: string }) => event.request_id)).toEqual(['first']);
});

describe('the events of a request', () => {
  const listOf = async (team: TestTeam, query: string) => {
    const log = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/event`;
    return (await team.management.get(`${log}?${query}`)).json.data.map(
      ({ event_type: type, id }: { event_type: string; id: string }) => ({ type, id }),
    );
  };
  const placeWith = async (team: TestTeam, cause: string) => {
    const body = order(await team.user(), await findLabTestId(team, 'testkit'));
    expect((await team.post('/v3/order', body, { 'x-request-id': cause })).status).toBe(200);
    await service.settle();
  };

  it.each(['', 'before=0&'])(
    'are those that it caused, with %j, and none of another team',
    async (direction) => {
      const [team, other] = [await service.team(), await service.team()];
      await placeWith(team, 'same-id');
      await placeWith(other, 'same-id');
      await placeWith(team, 'another-id');
      const found = await listOf(team, `${direction}request_id=same-id`);
      expect(found.map(({ type }: { type: string }) => type)).toEqual(['labtest.order.created']);
      expect(await listOf(team, `${direction}request_id=same`)).toEqual([]);
      const [foreign] = await listOf(other, `${direction}request_id=same-id`);
      expect(foreign.id).not.toBe(found[0].id);
      expect(await listOf(team, `${direction}id=${found[0].id}`)).toEqual(found);
      expect(await listOf(team, `${direction}id=${foreign.id}`)).toEqual([]);
    },
  );

  it('are found by an index, however many events there are', async () => {
    const team = await service.team();
    await placeWith(team, 'one-of-many');
    const { teamId, environment } = team.tenant;
    await service.ownerPool.query(
      `insert into event (team_id, environment, id, event_type, data, created_at, position, request_id)
       select $1, $2, gen_random_uuid(), 'labtest.order.created', '', now(), 1000 + n, gen_random_uuid()::text
       from generate_series(1, 20000) n`,
      [teamId, environment],
    );
    await service.ownerPool.query('analyze event');
    const plan = await inTenant(service.app, team.tenant, async ({ tx }) => {
      const query = sql<{ 'QUERY PLAN': string }>`explain select * from event where team_id = ${teamId}
        and environment = ${environment} and request_id = 'one-of-many' and position > 0 order by position`;
      return (await query.execute(tx)).rows.map((row) => row['QUERY PLAN']).join(' ');
    });
    expect(plan).toContain('event_of_request');
  });
});
