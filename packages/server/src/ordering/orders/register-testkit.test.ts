import { beforeEach, describe, expect, it } from 'vitest';
import { patient, registration, shipping } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { inTenant } from '../../app.ts';
import { GRACE_MS } from '../../users/users/users.ts';
import { getOrder, buildRequisition } from './orders.ts';

let team: TestTeam;
let user: string;
const service = useTestService();
beforeEach(async () => {
  team = await service.team();
  user = await team.user();
});

async function send(change: object = {}, of = team, owner = user) {
  const test = await findLabTestId(of, 'testkit');
  const body = { user_id: owner, lab_test_id: test, shipping_details: shipping, ...change };
  return of.post('/v3/order/testkit', body);
}
const kit = async () => (await send()).json.order as { id: string; sample_id: string };
const register = (sampleId: string, change: object = {}) =>
  team.post('/v3/order/testkit/register', { ...registration(sampleId, user), ...change });
const walk = (id: string, to: string) => team.post(`/v3/order/${id}/test?final_status=${to}`);
const nowhere = '01900000-0000-7000-8000-000000000000';

interface MarkerWithQuestion {
  id: number;
  aoe: { questions: { value: string }[] } | null;
}
/** A marker of the laboratory that is orderable alone and asks this and nothing else. */
async function askedBy(lab: string, question: string): Promise<MarkerWithQuestion> {
  for (let page = 1; ; page += 1) {
    const query = `lab_slug=${lab}&a_la_carte_enabled=true&size=100&page=${page}`;
    const { json } = await team.get(`/v3/lab_tests/markers?${query}`);
    const found = json.markers.find(
      ({ aoe }: MarkerWithQuestion) => aoe?.questions.length === 1 && aoe.questions[0]?.value === question,
    );
    if (found) return found;
    if (page >= json.pages) throw new Error(`Nothing at ${lab} asks that`);
  }
}
async function ownKit(change: object): Promise<string> {
  const made = await team.post('/v3/lab_tests', {
    name: 'Our kit',
    description: '',
    method: 'testkit',
    ...change,
  });
  expect(made.status, made.text).toBe(200);
  return made.json.id;
}

describe('a kit that is sent', () => {
  it('has a sample id of its own and no patient', async () => {
    const [first, second] = [await send(), await send()];
    expect(first.json.order).toMatchObject({
      patient_details: null,
      patient_address: null,
      shipping_details: { receiver_name: 'Ada Lovelace', country: 'United States' },
      last_event: { status: 'received.testkit.ordered' },
    });
    expect(first.json.order.sample_id).not.toBe(second.json.order.sample_id);
  });

  // prettier-ignore
  const refused: [string, object, number, RegExp][] = [
    ['an unknown user',        { user_id: nowhere },                                              404, /User not found/],
    ['an unknown lab test',    { lab_test_id: nowhere },                                          404, /Lab test not found/],
    ['an unknown account',     { lab_account_id: nowhere },                                       404, /Lab account not found/],
    ['no receiver',            { shipping_details: { ...shipping, receiver_name: '' } },          422, /receiver_name/],
    ['no phone number',        { shipping_details: { ...shipping, phone_number: undefined } },    422, /phone_number/],
    ['a state that is none',   { shipping_details: { ...shipping, state: 'XX' } },                422, /state/],
    ['a zip of four digits',   { shipping_details: { ...shipping, zip: '9410' } },                422, /zip/],
  ];
  it.each(refused)('is refused with %s', async (_what, change, status, says) => {
    const answer = await send(change);
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(says)]);
  });

  it.each([
    [true, 'Y'],
    [false, 'N'],
  ])('is requested with what its lab test says of fasting: %s', async (fasting, code) => {
    const triglycerides = await askedBy('ussl', 'Is the patient fasting?');
    const test = await ownKit({ marker_ids: [triglycerides.id], fasting });
    const { id } = (await send({ lab_test_id: test })).json.order;
    const { tests } = await inTenant(service.app, team.tenant, async (work) =>
      buildRequisition(work, await getOrder(work, id)),
    );
    expect(tests.map(({ answers }) => answers)).toEqual([
      [{ code: expect.any(String), question: 'Is the patient fasting?', answer: code }],
    ]);
  });

  it('is rejected if a required question has no default', async () => {
    const culture = await askedBy('mtl', 'Describe the source of the specimen');
    const answer = await send({ lab_test_id: await ownKit({ marker_ids: [culture.id] }) });
    expect([answer.status, answer.json.detail]).toEqual([
      400,
      'Missing required questions - "Describe the source of the specimen"',
    ]);
  });

  it('has the default comments of its lab account', async () => {
    await service.ownerPool.query(
      "update lab set collection_methods = array_append(collection_methods, 'testkit') where slug = 'labcorp'",
    );
    const { json } = await team.get('/v3/lab_tests/markers?lab_slug=labcorp&a_la_carte_enabled=true');
    const plain = json.markers.find(({ aoe }: MarkerWithQuestion) => aoe === null);
    const test = await ownKit({ marker_ids: [plain.id] });
    const account = (await team.get('/v3/lab_test/lab_account?status=active')).json.data.find(
      ({ lab }: { lab: string }) => lab === 'labcorp',
    );
    const sent = (await send({ lab_test_id: test })).json.order;
    expect(account.default_clinical_notes).toMatch(/critical values/);
    expect(sent.clinical_notes).toBe(account.default_clinical_notes);
    const registered = (await register(sent.sample_id)).json.order;
    expect(registered.clinical_notes).toBe(account.default_clinical_notes);
  });

  it('cannot be a walk-in test', async () => {
    const walkIn = await findLabTestId(team, 'walk_in_test');
    expect((await send({ lab_test_id: walkIn })).json.detail).toContain('not by testkit');
  });
});

describe('a registration', () => {
  // prettier-ignore
  const refused: [string, object, number, RegExp][] = [
    ['an unknown user',        { user_id: nowhere },                                              404, /User not found/],
    ['no sample id',           { sample_id: undefined },                                          422, /sample_id/],
    ['a name that no lab takes', { patient_details: { ...patient, first_name: '李' } },          422, /first_name/],
    ['a birth date to come',   { patient_details: { ...patient, dob: '2030-01-01' } },            422, /dob/],
    ['no e-mail address',      { patient_details: { ...patient, email: 'ada' } },                 422, /email/],
    ['a child',                { patient_details: { ...patient, dob: '2015-01-01' } },            400, /under 18 is not enabled/],
    ['a user whom nobody knows', { user_id: undefined },                                          200, /testkit registered/],
  ];
  it.each(refused)('with %s', async (_what, change, status, says) => {
    const { sample_id: sampleId } = await kit();
    const answer = await register(sampleId, change);
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(says)]);
  });

  it('decides whose kit it is: order, lists, event and what goes when a user goes', async () => {
    const receiver = await team.endpoint();
    const { id, sample_id: sampleId } = await kit();
    const other = await team.user();
    const client = (await team.get(`/v2/user/${other}`)).json.client_user_id;
    expect((await register(sampleId, { user_id: other })).json.order).toMatchObject({ id, user_id: other });
    const idsOf = async (whose: string) =>
      (await team.get(`/v3/orders?user_id=${whose}`)).json.orders.map((one: { id: string }) => one.id);
    expect([await idsOf(user), await idsOf(other)]).toEqual([[], [id]]);
    await service.settle();
    expect(receiver.received.at(-1)?.body).toMatchObject({ user_id: other, client_user_id: client });
    await team.delete(`/v2/user/${user}`);
    service.clock.move(GRACE_MS + 1000);
    await service.settle();
    expect((await team.get(`/v3/order/${id}`)).json).toMatchObject({ id, user_id: other });
  });

  it('of a kit that replaces an earlier one, by another user, is refused', async () => {
    const { id, sample_id: sampleId } = await kit();
    const earlier = await kit();
    await service.ownerPool.query(
      'update lab_order set transaction_id = (select transaction_id from lab_order where id = $1) where id = $2',
      [id, earlier.id],
    );
    expect(await register(sampleId, { user_id: await team.user() })).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining('replaces an earlier one') },
    });
    expect((await register(sampleId)).status).toBe(200);
  });

  it('of a kit that was sent to a known patient is refused', async () => {
    const placed = await team.post('/v3/order', {
      user_id: user,
      lab_test_id: await findLabTestId(team, 'testkit'),
      patient_details: patient,
      patient_address: shipping,
    });
    const { json } = await walk(placed.json.order.id, 'requisition_created');
    expect((await register(json.order.sample_id)).json.detail).toContain('needs no registration');
  });

  it('ignores spaces around the sample id', async () => {
    const { id, sample_id: sampleId } = await kit();
    expect((await register(` ${sampleId}\n`)).json.order).toMatchObject({ id, sample_id: sampleId });
    expect((await register('  ')).json.detail).toMatchObject([{ loc: ['body', 'sample_id'] }]);
  });

  it('of a cancelled kit is refused', async () => {
    const { id, sample_id: sampleId } = await kit();
    await team.post(`/v3/order/${id}/cancel`);
    expect(await register(sampleId)).toMatchObject({
      status: 400,
      json: { detail: 'A kit at cancelled cannot be registered' },
    });
  });

  it('succeeds once', async () => {
    const { sample_id: sampleId } = await kit();
    expect((await register(sampleId)).status).toBe(200);
    expect(await register(sampleId)).toMatchObject({
      status: 400,
      json: { detail: `Kit ${sampleId} is already registered` },
    });
  });

  it.each(['awaiting_registration', 'transit_customer', 'with_customer'])(
    'of many at once happens once, at %s',
    async (step) => {
      const { id, sample_id: sampleId } = await kit();
      await walk(id, step);
      const answers = await Promise.all(
        ['Ada', 'Bea', 'Cleo', 'Dora', 'Eva', 'Fay'].map((first_name) =>
          register(sampleId, { patient_details: { ...patient, first_name } }),
        ),
      );
      const [done, ...rest] = answers.toSorted((a, b) => a.status - b.status);
      expect(done?.status).toBe(200);
      for (const { status } of rest) expect(status).toBe(400);
      const { patient_details: kept } = (await team.get(`/v3/order/${id}`)).json;
      expect(kept.first_name).toBe(done?.json.order.patient_details.first_name);
    },
  );

  it('of a kit of a deleted user is refused', async () => {
    const { sample_id: sampleId } = await kit();
    await team.delete(`/v2/user/${user}`);
    user = await team.user('somebody else');
    expect(await register(sampleId)).toMatchObject({
      status: 400,
      json: { detail: `Kit ${sampleId} is already registered` },
    });
  });

  it('of an unknown sandbox kit creates one order for concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => register('STOCK-RACE')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400, 400]);
    expect((await team.get('/v3/orders')).json.total).toBe(1);
  });

  it('through a delegated account requires the team’s physician', async () => {
    const { id, sample_id: sampleId } = await kit();
    const accounts = (await team.get('/v3/lab_test/lab_account?status=active')).json.data;
    const quest = accounts.find(({ lab }: { lab: string }) => lab === 'quest').id;
    await service.ownerPool.query(
      "update lab_order set lab_slug = 'quest', lab_account_id = $2 where id = $1",
      [id, quest],
    );
    expect(await register(sampleId, { physician: undefined })).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining('at least one physician') },
    });
    expect((await register(sampleId)).json.order.physician).toEqual({
      first_name: 'Mary',
      last_name: 'Putnam',
      npi: '1234567893',
    });
  });

  it('of a minor needs a medical proxy and a team that allows minors', async () => {
    await team.management.patch(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`, {
      sandbox: { minor_ordering_enabled: true },
    });
    const { sample_id: sampleId } = await kit();
    const child = { ...patient, dob: '2015-01-01' };
    expect((await register(sampleId, { patient_details: child })).json.detail).toContain('medical_proxy');
    const place = { first_line: '1 Main', city: 'SF', state: 'CA', zip: '94104', country: 'US' };
    const proxy = { first_name: 'Anne', last_name: 'Milbanke', address: place, phone_number: '+14155550132' };
    expect((await register(sampleId, { patient_details: { ...child, medical_proxy: proxy } })).status).toBe(
      200,
    );
  });

  it('accepts an invalid npi in sandbox, with a warning', async () => {
    const { sample_id: sampleId } = await kit();
    const answer = await register(sampleId, { physician: { first_name: 'M', last_name: 'P', npi: '12' } });
    expect(answer.headers['x-service-warning']).toContain('not a valid NPI');
  });
});
