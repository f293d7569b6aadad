import { describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { address, order, patient, registration, shipping } from '../examples.ts';
import { type TestTeam } from '../service.ts';
import { useTestService } from '../service-hooks.ts';

const service = useTestService();

/** The team's first lab test with this collection method. */
async function labTestOf(team: TestTeam, method: string): Promise<string> {
  const { json } = await team.get(`/v3/lab_tests?collection_method=${method}`);
  return json[0].id;
}

describe('a test kit', () => {
  it('goes from order to result, with a signed webhook for every step', async () => {
    const team = await service.team();
    const endpoint = await team.endpoint();
    const userId = await team.user('patient-1');
    const kit = await labTestOf(team, 'testkit');

    const sent = await team.post('/v3/order/testkit', {
      user_id: userId,
      lab_test_id: kit,
      shipping_details: shipping,
    });
    expect(sent.status).toBe(200);
    expect(sent.json).toMatchObject({
      status: 'success',
      order: { status: 'received', patient_details: null },
    });
    const { id, sample_id: sampleId } = sent.json.order;
    expect(sent.json.order.last_event.status).toBe('received.testkit.ordered');

    const arrived = await team.post(
      `/v3/order/${id}/test?final_status=collecting_sample.testkit.with_customer`,
    );
    expect(arrived.json.order.last_event.status).toBe('collecting_sample.testkit.with_customer');
    expect(arrived.json.order.details.data.shipment).toMatchObject({
      outbound_courier: 'usps',
      outbound_tracking_url: expect.stringContaining('https://'),
      inbound_tracking_number: expect.any(String),
    });

    const registered = await team.post('/v3/order/testkit/register', registration(sampleId, userId));
    expect(registered.json.order.last_event.status).toBe('received.testkit.testkit_registered');
    expect(registered.json.order.patient_address.country).toBe('United States');

    const done = await team.post(`/v3/order/${id}/test`);
    expect(done.json.order).toMatchObject({
      status: 'completed',
      interpretation: 'normal',
      has_missing_results: false,
    });
    const read = await team.get(`/v3/order/${id}`);
    expect(read.json).toEqual(done.json.order);
    expect(read.json.last_event).toEqual(read.json.events.at(-1));

    const result = await team.get(`/v3/order/${id}/result`);
    expect(result.json.metadata).toMatchObject({
      patient: 'Ada Lovelace',
      dob: '1985-12-10',
      status: 'final',
    });
    expect(result.json.results.length).toBeGreaterThan(5);
    for (const one of result.json.results) {
      expect(one).toMatchObject({
        is_above_max_range: expect.toBeOneOf([false, null]),
        interpretation: 'normal',
      });
    }

    await service.settle();
    const statuses = endpoint.received.map(
      ({ body }) => (body.data['last_event'] as { status: string }).status,
    );
    expect(statuses.toSorted()).toEqual(
      read.json.events.map((event: { status: string }) => event.status).toSorted(),
    );
    const secret = await team.management.get(
      `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/webhook`,
    );
    const key = await team.management.get(
      `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/webhook/${secret.json.data[0].id}/secret`,
    );
    for (const { text, headers, body } of endpoint.received) {
      expect(body).toMatchObject({
        team_id: team.tenant.teamId,
        user_id: userId,
        client_user_id: 'patient-1',
      });
      const given = headers as Record<string, string>;
      expectSigned(key.json.key, text, given);
    }
  });

  it('takes a kit from stock in sandbox when the sample id is unknown', async () => {
    const team = await service.team();
    const userId = await team.user();
    const answer = await team.post('/v3/order/testkit/register', registration('STOCK-1', userId));
    expect(answer.json.order).toMatchObject({ sample_id: 'STOCK-1', user_id: userId, status: 'received' });
    const again = await team.post('/v3/order/testkit/register', registration('STOCK-1', userId));
    expect(again).toMatchObject({ status: 400, json: { detail: 'Kit STOCK-1 is already registered' } });
  });

  it('is not found in production if it was not ordered', async () => {
    const team = await service.team('production');
    const userId = await team.user();
    const answer = await team.post('/v3/order/testkit/register', registration('STOCK-2', userId));
    expect(answer).toMatchObject({ status: 404, json: { detail: 'Test kit not found' } });
  });

  it('cannot be simulated beyond delivery before it is registered', async () => {
    const team = await service.team();
    const sent = await team.post('/v3/order/testkit', {
      user_id: await team.user(),
      lab_test_id: await labTestOf(team, 'testkit'),
      shipping_details: shipping,
    });
    const answer = await team.post(`/v3/order/${sent.json.order.id}/test`);
    expect(answer.status).toBe(400);
    expect(answer.json.detail).toContain('not registered');
  });

  it('can be registered while it is in transit', async () => {
    const team = await service.team();
    const userId = await team.user();
    const sent = await team.post('/v3/order/testkit', {
      user_id: userId,
      lab_test_id: await labTestOf(team, 'testkit'),
      shipping_details: shipping,
    });
    const { id, sample_id: sampleId } = sent.json.order;
    await team.post(`/v3/order/${id}/test?final_status=transit_customer`);
    const registered = await team.post('/v3/order/testkit/register', registration(sampleId, userId));
    expect(registered.json.order.last_event.status).toBe('collecting_sample.testkit.transit_customer');
    const done = await team.post(`/v3/order/${id}/test`);
    expect(done.json.order.status).toBe('completed');
  });

  it('is simulated with a delay on the tenant’s clock', async () => {
    const team = await service.team();
    const placed = await team.post('/v3/order', order(await team.user(), await labTestOf(team, 'testkit')));
    const { id } = placed.json.order;
    const step = async () => (await team.get(`/v3/order/${id}`)).json.last_event.status;
    await team.post(`/v3/order/${id}/test?final_status=with_customer&delay=10`);
    expect(await step()).toBe('received.testkit.requisition_created');
    await service.settle();
    expect(await step()).toBe('received.testkit.requisition_created');
    service.clock.move(10_000);
    service.app.notifier.notify('timers');
    await service.settle();
    expect(await step()).toBe('collecting_sample.testkit.transit_customer');
    service.clock.move(10_000);
    service.app.notifier.notify('timers');
    await service.settle();
    expect(await step()).toBe('collecting_sample.testkit.with_customer');
  });

  it('can be cancelled before it is shipped, but not after', async () => {
    const team = await service.team();
    const kit = await labTestOf(team, 'testkit');
    const userId = await team.user();
    const first = await team.post('/v3/order', order(userId, kit));
    const cancelled = await team.post(`/v3/order/${first.json.order.id}/cancel`);
    expect(cancelled.json.order.last_event.status).toBe('cancelled.testkit.cancelled');
    const second = await team.post('/v3/order', order(userId, kit));
    await team.post(`/v3/order/${second.json.order.id}/test?final_status=transit_customer`);
    const refused = await team.post(`/v3/order/${second.json.order.id}/cancel`);
    expect(refused).toMatchObject({
      status: 400,
      json: { detail: 'Transition from transit_customer to cancelled is not allowed' },
    });
  });

  it('emits an event for a critical result', async () => {
    const team = await service.team();
    const endpoint = await team.endpoint({ filter_types: ['labtest.result.critical'] });
    const placed = await team.post('/v3/order', order(await team.user(), await labTestOf(team, 'testkit')));
    const done = await team.post(`/v3/order/${placed.json.order.id}/test`, { interpretation: 'critical' });
    expect(done.json.order.interpretation).toBe('critical');
    await service.settle();
    expect(endpoint.received).toHaveLength(1);
    expect(endpoint.received[0]?.body.data).toMatchObject({
      order_id: placed.json.order.id,
      interpretation: 'critical',
    });
  });
});

describe('an order', () => {
  // prettier-ignore
  const wrong: [string, object, (string | number)[]][] = [
    ['no user',               { user_id: undefined },                                     ['body', 'user_id']],
    ['a name with a digit sign', { patient_details: { ...patient, first_name: 'A@a' } },  ['body', 'patient_details', 'first_name']],
    ['two spaces in a name',  { patient_details: { ...patient, last_name: 'van  Gogh' } }, ['body', 'patient_details', 'last_name']],
    ['no birth date',         { patient_details: { ...patient, dob: undefined } },        ['body', 'patient_details', 'dob']],
    ['a birth date to come',  { patient_details: { ...patient, dob: '2030-01-01' } },     ['body', 'patient_details', 'dob']],
    ['a zip of four digits',  { patient_address: { ...address, zip: '9410' } },           ['body', 'patient_address', 'zip']],
    ['an unknown state',      { patient_address: { ...address, state: 'XX' } },           ['body', 'patient_address', 'state']],
    ['too long access notes', { patient_address: { ...address, access_notes: 'x'.repeat(1001) } }, ['body', 'patient_address', 'access_notes']],
    ['too long notes',        { clinical_notes: 'x'.repeat(1001) },                       ['body', 'clinical_notes']],
    ['an answer without a marker', { aoe_answers: [{ question_id: 1, answer: 'x' }] },    ['body', 'aoe_answers', 0, 'marker_id']],
  ];

  it.each(wrong)('is rejected with %s, with the field location', async (_what, change, loc) => {
    const team = await service.team();
    const body = { ...order(await team.user(), await labTestOf(team, 'testkit')), ...change };
    const answer = await team.post('/v3/order', body);
    expect(answer.status).toBe(422);
    expect(answer.json.detail.map((fault: { loc: unknown }) => fault.loc)).toContainEqual(loc);
    expect((await team.get('/v3/orders')).json.total).toBe(0);
  });

  it('is listed under both paths, newest first, by page', async () => {
    const team = await service.team();
    const kit = await labTestOf(team, 'testkit');
    const userId = await team.user();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      service.clock.move(1000);
      ids.unshift((await team.post('/v3/order', order(userId, kit))).json.order.id);
    }
    const first = await team.get('/v3/orders?size=2');
    expect(first.json).toMatchObject({ total: 3, page: 1, size: 2 });
    const second = await team.get('/orders?size=2&page=2');
    expect([...first.json.orders, ...second.json.orders].map(({ id }: { id: string }) => id)).toEqual(ids);
    const none = await team.get('/v3/orders?status=completed&status=cancelled');
    expect(none.json.total).toBe(0);
  });
});

/** Compares with both packages that receivers use. Signs at the given time, because verifying checks the clock. */
function expectSigned(secret: string, text: string, headers: Record<string, string>): void {
  expect(headers['webhook-id']).toBe(headers['svix-id']);
  for (const webhook of [new Webhook(secret), new SvixWebhook(secret)]) {
    expect(
      webhook.sign(headers['webhook-id'] ?? '', new Date(Number(headers['webhook-timestamp']) * 1000), text),
    ).toBe(headers['webhook-signature']);
  }
}
