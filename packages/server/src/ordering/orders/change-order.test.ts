import { beforeAll, describe, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';

let tests: Record<string, string>;
const service = useTestService();
const team = useTestTeam(service);
beforeAll(async () => {
  tests = Object.fromEntries(
    (await team.get('/v3/lab_tests')).json
      .toReversed()
      .map(({ method, id }: { method: string; id: string }) => [method, id]),
  );
});

async function place(method = 'walk_in_test', change: object = {}): Promise<string> {
  const answer = await team.post('/v3/order', {
    ...order(await team.user(), tests[method] ?? ''),
    ...change,
  });
  return answer.json.order.id;
}
const walk = (id: string, to: string) => team.post(`/v3/order/${id}/test?final_status=${to}`);

describe('the day of an order', () => {
  it('is changed and cleared, each with an event', async () => {
    const endpoint = await team.endpoint({ filter_types: ['labtest.order.updated'] });
    const id = await place('walk_in_test', { activate_by: '2026-04-01' });
    const moved = await team.patch(`/v3/order/${id}`, { activate_by: '2026-05-01' });
    expect(moved).toMatchObject({
      status: 200,
      json: { status: 'success', message: 'order updated', order: { id, activate_by: '2026-05-01' } },
    });
    const cleared = await team.patch(`/v3/order/${id}`, { activate_by: null });
    expect(cleared.json.order).toMatchObject({
      activate_by: null,
      last_event: { status: 'received.walk_in_test.ordered' },
    });
    await service.settle();
    expect(endpoint.received.map(({ body }) => body.data.activate_by).toSorted()).toEqual([
      '2026-05-01',
      null,
    ]);
  });

  it('changed to today releases the order', async () => {
    const id = await place('walk_in_test', { activate_by: '2026-04-01' });
    await team.patch(`/v3/order/${id}`, { activate_by: '2026-03-02' });
    await service.settle();
    expect((await team.get(`/v3/order/${id}`)).json.last_event.status).toBe(
      'received.walk_in_test.requisition_created',
    );
  });

  it('cannot be set again after it was cleared', async () => {
    const id = await place('walk_in_test', { activate_by: '2026-04-01' });
    await team.patch(`/v3/order/${id}`, { activate_by: null });
    expect(await team.patch(`/v3/order/${id}`, { activate_by: '2026-04-02' })).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining('whose day was cleared') },
    });
  });

  const scheduled = { activate_by: '2026-04-01' };
  // prettier-ignore
  const refused: [string, object, string | null, unknown, number, RegExp][] = [
    ['an order created without one', {},        null,                  { activate_by: '2026-04-01' }, 400, /order without activate_by/],
    ['a day that is over',           scheduled, null,                  { activate_by: '2026-03-01' }, 422, /activate_by/],
    ['no day at all',                scheduled, null,                  {},                            422, /activate_by/],
    ['a day in words',               scheduled, null,                  { activate_by: 'soon' },       422, /activate_by/],
    ['an order with a requisition',  scheduled, 'requisition_created', { activate_by: '2026-05-01' }, 409, /at requisition_created can no longer be rescheduled/],
    ['a completed order',            scheduled, 'completed',           { activate_by: null },         409, /at completed can no longer be rescheduled/],
    ['a cancelled order',            scheduled, 'cancelled',           { activate_by: null },         409, /at cancelled can no longer be rescheduled/],
  ];

  it.each(refused)('is refused for %s', async (...[, change, to, body, status, says]) => {
    const id = await place('walk_in_test', change);
    expect(to === null ? 200 : (await walk(id, to)).status).toBe(200);
    const answer = await team.patch(`/v3/order/${id}`, body);
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(says)]);
  });

  it('can be cleared without effect if there is none', async () => {
    const id = await place();
    expect((await team.patch(`/v3/order/${id}`, { activate_by: null })).status).toBe(200);
  });

  it('and a concurrent cancellation do not both succeed', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await place('walk_in_test', scheduled);
      const [moved, cancelled] = await Promise.all([
        team.patch(`/v3/order/${id}`, { activate_by: '2026-06-01' }),
        team.post(`/v3/order/${id}/cancel`),
      ]);
      expect([200, 409]).toContain(moved.status);
      expect(cancelled.status).toBe(200);
      expect((await team.get(`/v3/order/${id}`)).json.status).toBe('cancelled');
    }
  });
});

describe('a completed draw', () => {
  // prettier-ignore
  const draws: [string, string | null, number, string][] = [
    ['on_site_collection', 'requisition_created',   200, 'sample_with_lab.on_site_collection.draw_completed'],
    ['on_site_collection', null,                    409, 'Transition from ordered to draw_completed is not allowed'],
    ['on_site_collection', 'draw_completed',        409, 'Transition from draw_completed to draw_completed is not allowed'],
    ['on_site_collection', 'completed',             409, 'Transition from completed to draw_completed is not allowed'],
    ['on_site_collection', 'cancelled',             409, 'Transition from cancelled to draw_completed is not allowed'],
    ['at_home_phlebotomy', 'appointment_scheduled', 200, 'collecting_sample.at_home_phlebotomy.draw_completed'],
    ['at_home_phlebotomy', 'appointment_pending',   409, 'Transition from appointment_pending to draw_completed is not allowed'],
    ['at_home_phlebotomy', 'requisition_created',   409, 'Transition from requisition_created to draw_completed is not allowed'],
    ['walk_in_test',       'appointment_scheduled', 409, 'Transition from appointment_scheduled to draw_completed is not allowed'],
    ['testkit',            'with_customer',         409, 'Transition from with_customer to draw_completed is not allowed'],
  ];

  it.each(draws)('of %s at %s answers %i', async (method, from, status, says) => {
    const id = await place(method);
    if (from !== null) await walk(id, from);
    const answer = await team.patch(`/v3/order/${id}/draw_completed`);
    expect(answer.status).toBe(status);
    expect(status === 200 ? answer.json.order.last_event.status : answer.json.detail).toBe(says);
  });

  it('can still be cancelled, or completes with its result', async () => {
    const ids = [await place('on_site_collection'), await place('on_site_collection')];
    for (const id of ids) {
      await walk(id, 'requisition_created');
      await team.patch(`/v3/order/${id}/draw_completed`);
    }
    expect((await team.post(`/v3/order/${ids[0]}/cancel`)).json.order.status).toBe('cancelled');
    expect((await team.post(`/v3/order/${ids[1]}/test`)).json.order.status).toBe('completed');
  });

  it('is recorded once for concurrent requests', async () => {
    const id = await place('on_site_collection');
    await walk(id, 'requisition_created');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => team.patch(`/v3/order/${id}/draw_completed`)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  });
});

describe('text messages about an order', () => {
  it('follow the team setting unless the order overrides it', async () => {
    const own = await service.team();
    const test = await findLabTestId(own, 'walk_in_test');
    const { id } = (await own.post('/v3/order', order(await own.user(), test))).json.order;
    const path = `/v3/order/${id}/communication_settings`;
    expect((await own.get(path)).json).toEqual({ order_id: id, sms_enabled: true });
    await own.management.patch(`/v1/org/${own.orgId}/team/${own.tenant.teamId}`, {
      sandbox: { lab_tests_patient_sms_communication_enabled: false },
    });
    expect((await own.get(path)).json.sms_enabled).toBe(false);
    expect((await own.patch(path, { sms_enabled: true })).json).toEqual({ order_id: id, sms_enabled: true });
    expect((await own.get(path)).json.sms_enabled).toBe(true);
    expect((await own.patch(path, { sms_enabled: 'yes' })).status).toBe(422);
  });
});
