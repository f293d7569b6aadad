import { expect, it } from 'vitest';
import { order } from '../../test/examples.ts';
import { findLabTestId } from '../../test/orders.ts';
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
