import { beforeAll, describe, expect, it } from 'vitest';
import { address, order, patient } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';

let tests: Record<string, { id: string; lab: { slug: string } }>;
const service = useTestService();
const team = useTestTeam(service);
beforeAll(async () => {
  tests = Object.fromEntries(
    (await team.get('/v3/lab_tests')).json
      .toReversed()
      .map((test: { method: string }) => [test.method, test]),
  );
});

let samples = 0;
const body = async (method = 'walk_in_test', change: object = {}) => ({
  user_id: await team.user(),
  billing_type: 'client_bill',
  order_set: { lab_test_ids: [tests[method]?.id] },
  collection_method: method,
  patient_details: patient,
  patient_address: address,
  sample_id: `LAB-${(samples += 1)}`,
  ...change,
});
const send = async (method?: string, change?: object) =>
  team.post('/v3/order/import', await body(method, change));

const accounts = async (status: string, lab: string) =>
  (await team.get(`/v3/lab_test/lab_account?status=${status}`)).json.data.filter(
    (account: { lab: string }) => account.lab === lab,
  );

describe('an imported order', () => {
  it('starts at requisition_bypassed with the sample id of the laboratory', async () => {
    const sent = await body();
    const { status, json } = await team.post('/v3/order/import', sent);
    expect(status).toBe(200);
    expect(json.message).toBe('order imported');
    expect(json.order).toMatchObject({
      sample_id: sent.sample_id,
      origin: 'initial',
      billing_type: 'client_bill',
      status: 'received',
      last_event: { status: 'received.walk_in_test.requisition_bypassed' },
    });
    expect(json.order.events).toHaveLength(1);
  });

  it.each(['testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection'])(
    'by %s gets its result',
    async (method) => {
      const { json } = await send(method);
      const done = await team.post(`/v3/order/${json.order.id}/test`);
      expect(done.json.order).toMatchObject({ status: 'completed', sample_id: json.order.sample_id });
      expect((await team.get(`/v3/order/${json.order.id}/result`)).status).toBe(200);
    },
  );

  it('stores the address without validation', async () => {
    const lines = {
      receiver_name: 'c/o Ada & Co',
      first_line: '',
      city: '',
      state: 'Calif.',
      zip: '9',
      country: 'US',
    };
    const { json } = await send('testkit', { patient_address: lines });
    expect(json.order.patient_address).toMatchObject({ state: 'Calif.', zip: '9', first_line: '' });
  });

  it('accepts a pending lab account, but not a suspended one', async () => {
    const [pending] = await accounts('pending', 'labcorp');
    const [suspended] = await accounts('suspended', 'labcorp');
    expect((await send('walk_in_test', { lab_account_id: pending.id })).status).toBe(200);
    expect((await send('walk_in_test', { lab_account_id: suspended.id })).json.detail).toContain(
      'is suspended',
    );
  });

  it('keeps the billing type of the laboratory', async () => {
    const { json } = await send('walk_in_test', { billing_type: 'commercial_insurance' });
    expect(json.order).toMatchObject({ billing_type: 'commercial_insurance', health_insurance_id: null });
  });

  it('can be cancelled', async () => {
    const { json } = await send();
    expect((await team.post(`/v3/order/${json.order.id}/cancel`)).json.order.status).toBe('cancelled');
  });
});

describe('its sample id', () => {
  it('is unique at its laboratory, not across laboratories', async () => {
    expect((await send('walk_in_test', { sample_id: 'TWICE' })).status).toBe(200);
    expect(await send('at_home_phlebotomy', { sample_id: 'TWICE' })).toMatchObject({
      status: 400,
      json: { detail: 'Sample id TWICE is already in use at labcorp' },
    });
    expect((await send('testkit', { sample_id: 'TWICE' })).status).toBe(200);
  });

  it('stays taken after a cancellation or a user deletion', async () => {
    const first = await body('walk_in_test', { sample_id: 'GONE' });
    await team.post('/v3/order/import', first);
    await team.delete(`/v2/user/${first.user_id}`);
    expect((await send('walk_in_test', { sample_id: 'GONE' })).status).toBe(400);
  });

  it('is given to one of many concurrent imports', async () => {
    const bodies = await Promise.all(
      Array.from({ length: 12 }, () => body('walk_in_test', { sample_id: 'RACE' })),
    );
    const answers = await Promise.all(bodies.map((each) => team.post('/v3/order/import', each)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      200,
      ...Array.from({ length: 11 }, () => 400),
    ]);
  });

  it('does not conflict with one of another team', async () => {
    await send('walk_in_test', { sample_id: 'SHARED' });
    const other = await service.team();
    const test = await findLabTestId(other, 'walk_in_test');
    const answer = await other.post('/v3/order/import', {
      ...(await body('walk_in_test', { sample_id: 'SHARED' })),
      user_id: await other.user(),
      order_set: { lab_test_ids: [test] },
    });
    expect(answer.status).toBe(200);
  });
});

// prettier-ignore
const refused: [string, object, number, RegExp][] = [
  ['no sample id',          { sample_id: undefined },                                       422, /sample_id/],
  ['an empty sample id',    { sample_id: '  ' },                                            422, /sample_id/],
  ['no billing',            { billing_type: undefined },                                    422, /billing_type/],
  ['no collection method',  { collection_method: undefined },                               422, /collection_method/],
  ['no order set',          { order_set: undefined },                                       422, /order_set/],
  ['a name that no lab takes', { patient_details: { ...patient, last_name: 'Зоя' } },       422, /last_name/],
  ['a birth date to come',  { patient_details: { ...patient, dob: '2030-01-01' } },         422, /dob/],
  ['a child',               { patient_details: { ...patient, dob: '2015-01-01' } },         400, /under 18/],
  ['an unknown user',       { user_id: '01900000-0000-7000-8000-000000000000' },            404, /User not found/],
  ['another method',        { collection_method: 'testkit' },                               400, /collection method/],
  ['an unknown account',    { lab_account_id: '01900000-0000-7000-8000-000000000000' },     404, /Lab account not found/],
];

it.each(refused)('is refused with %s', async (_what, change, status, says) => {
  const answer = await send('walk_in_test', change);
  expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(says)]);
});

it('requires the team’s physician for a delegated account', async () => {
  const [account] = (await accounts('pending', 'labcorp')).filter(
    ({ delegated_flow: flow }: { delegated_flow: string }) => flow === 'order_delegated',
  );
  expect((await send('walk_in_test', { lab_account_id: account.id })).json.detail).toContain('physician');
  const physician = { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' };
  expect((await send('walk_in_test', { lab_account_id: account.id, physician })).status).toBe(200);
});

it('is available only to teams with the feature', async () => {
  const production = await service.team('production');
  const answer = await production.post('/v3/order/import', await body());
  expect([answer.status, typeof answer.json.detail]).toEqual([403, 'string']);
});

it('does not conflict with generated sample ids', async () => {
  const placed = await team.post('/v3/order', order(await team.user(), tests['walk_in_test']?.id ?? ''));
  const walked = await team.post(`/v3/order/${placed.json.order.id}/test?final_status=requisition_created`);
  expect((await send('walk_in_test', { sample_id: walked.json.order.sample_id })).status).toBe(400);
});
