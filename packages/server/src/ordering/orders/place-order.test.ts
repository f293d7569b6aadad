import { describe, expect, it } from 'vitest';
import { address, order, patient, shipping } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';

const service = useTestService();
const team = useTestTeam(service);

const markers = async (query: string) => (await team.get(`/v3/lab_tests/markers?${query}`)).json.markers;
const accounts = async (status = 'active') =>
  (await team.get(`/v3/lab_test/lab_account?status=${status}`)).json.data as {
    id: string;
    lab: string;
    delegated_flow: string;
    default_clinical_notes: string | null;
  }[];
const accountOf = async (lab: string, flow: string) => {
  const found = (await accounts()).find((account) => account.lab === lab && account.delegated_flow === flow);
  if (!found) throw new Error(`No active ${flow} account of ${lab}`);
  return found;
};

/** An order of single markers of a laboratory that nobody asks a question about. */
async function addOn(lab: string, more: object = {}) {
  const plain = (await markers(`lab_slug=${lab}&a_la_carte_enabled=true&size=100`)).filter(
    ({ aoe, is_orderable }: { aoe: unknown; is_orderable: boolean }) => aoe === null && is_orderable,
  );
  return {
    user_id: await team.user(),
    collection_method: 'walk_in_test',
    order_set: { add_on: { marker_ids: plain.slice(0, 2).map(({ id }: { id: number }) => id) } },
    patient_details: patient,
    patient_address: address,
    ...more,
  };
}

describe('an order of single markers', () => {
  it('gets a lab test of its own, which is reused', async () => {
    const body = await addOn('labcorp');
    const first = await team.post('/v3/order', body);
    const second = await team.post('/v3/order/create', body);
    expect(first.json.order.lab_test).toMatchObject({
      auto_generated: true,
      method: 'walk_in_test',
      lab: { slug: 'labcorp' },
    });
    expect(second.json.order.lab_test.id).toBe(first.json.order.lab_test.id);
  });

  // prettier-ignore
  const refusals: [string, object, number, RegExp][] = [
    ['no collection method',     { collection_method: undefined },                                    400, /collection_method/],
    ['ids and codes of markers', { order_set: { add_on: { marker_ids: [1], provider_ids: ['x'] } } }, 400, /exactly one/],
    ['nothing ordered',          { order_set: undefined },                                            422, /order_set or lab_test_id/],
    ['an unknown account',       { lab_account_id: '01900000-0000-7000-8000-000000000000' },          404, /not found/i],
    ['a day that is over',       { activate_by: '2026-03-01' },                                       422, /activate_by/],
    ['an unknown answer',        { aoe_answers: [{ marker_id: 1, question_id: 1, answer: 'x' }] },    400, /Unknown question/],
  ];

  it.each(refusals)('is refused with %s', async (_what, change, status, says) => {
    const answer = await team.post('/v3/order', await addOn('labcorp', change));
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(says)]);
  });
});

describe('a laboratory account', () => {
  it('that is delegated requires the team’s own physician', async () => {
    const account = await accountOf('quest', 'order_delegated');
    const body = await addOn('quest', { lab_account_id: account.id });
    const refused = await team.post('/v3/order', body);
    expect(refused).toMatchObject({ status: 400, json: { detail: expect.stringContaining('physician') } });
    const physician = { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' };
    expect((await team.post('/v3/order', { ...body, physician })).json.order.physician).toEqual(physician);
  });

  it('accepts an invalid NPI in sandbox, with a warning', async () => {
    const physician = { first_name: 'Mary', last_name: 'Putnam', npi: '123' };
    const answer = await team.post('/v3/order', await addOn('labcorp', { physician }));
    expect(answer.status).toBe(200);
    expect(answer.headers['x-service-warning']).toContain('not a valid NPI');
  });

  it('adds its default notes before those of the order', async () => {
    const account = (await accounts()).find(
      ({ lab, default_clinical_notes: notes }) => lab === 'labcorp' && notes,
    );
    const body = await addOn('labcorp', {
      lab_account_id: account?.id,
      clinical_notes: 'Fasting since 8 pm',
    });
    const { json } = await team.post('/v3/order', body);
    expect(json.order.clinical_notes).toBe(`${account?.default_clinical_notes}\nFasting since 8 pm`);
  });

  it('must belong to the laboratory of the order', async () => {
    const account = await accountOf('quest', 'order_delegated');
    const answer = await team.post('/v3/order', await addOn('labcorp', { lab_account_id: account.id }));
    expect(answer.status).toBe(400);
  });

  it('must be active', async () => {
    const [pending] = (await accounts('pending')).filter(({ lab }) => lab === 'labcorp');
    const answer = await team.post('/v3/order', await addOn('labcorp', { lab_account_id: pending?.id }));
    expect(answer).toMatchObject({ status: 400, json: { detail: expect.stringMatching(/not active/) } });
  });
});

describe('a question at order entry', () => {
  it('must be answered if required, with a valid answer', async () => {
    const asked = (await markers('lab_slug=labcorp&a_la_carte_enabled=true&size=100')).find(
      ({
        aoe,
      }: {
        aoe: { questions: { required: boolean; type: string; default: null; value: string }[] } | null;
      }) =>
        aoe?.questions.some(
          ({ required, type, default: standing, value }) =>
            required && type === 'numeric' && standing === null && !/fasting/i.test(value),
        ),
    );
    const body = await addOn('labcorp', { order_set: { add_on: { marker_ids: [asked.id] } } });
    const silent = await team.post('/v3/order', body);
    expect(silent).toMatchObject({
      status: 400,
      json: { detail: expect.stringMatching(/^Missing required questions - "/) },
    });
    const question = asked.aoe.questions.find(({ type }: { type: string }) => type === 'numeric');
    const wrong = [{ marker_id: asked.id, question_id: question.id, answer: 'many' }];
    expect((await team.post('/v3/order', { ...body, aoe_answers: wrong })).json.detail).toContain(
      'expected a number',
    );
  });
});

describe('a lab test with a marker that is no longer orderable', () => {
  /** A lab test of the team's own, made while its first marker could be had. */
  async function withdrawn(method: string, lab: string) {
    const sold = (await markers(`lab_slug=${lab}&a_la_carte_enabled=true&size=100`)).filter(
      ({ aoe, is_orderable }: { aoe: unknown; is_orderable: boolean }) => aoe === null && is_orderable,
    );
    const [gone, other] = sold.slice(-2);
    const named = { name: 'Own panel', description: 'Of the team', method };
    const made = await team.post('/v3/lab_tests', { ...named, marker_ids: [other.id, gone.id] });
    await service.ownerPool.query('update marker set is_orderable = false where id = $1', [gone.id]);
    const detail = `Marker ${gone.id} (${gone.name}) of the lab test can no longer be ordered`;
    return { id: made.json.id as string, other, refusal: { status: 400, json: { detail } } };
  }

  it('cannot be ordered, alone or in a set', async () => {
    const { id, refusal } = await withdrawn('walk_in_test', 'labcorp');
    const one = order(await team.user(), id);
    expect(await team.post('/v3/order', one)).toMatchObject(refusal);
    const [more] = (await addOn('labcorp')).order_set.add_on.marker_ids;
    for (const order_set of [
      { lab_test_ids: [id] },
      { lab_test_ids: [id], add_on: { marker_ids: [more] } },
    ]) {
      const set = { ...one, lab_test_id: undefined, order_set, collection_method: 'walk_in_test' };
      expect(await team.post('/v3/order', set)).toMatchObject(refusal);
    }
    expect((await team.get(`/v3/orders?user_id=${one.user_id}`)).json.total).toBe(0);
  });

  it('cannot be ordered as a registrable kit', async () => {
    const { id, refusal } = await withdrawn('testkit', 'ussl');
    const body = { user_id: await team.user(), lab_test_id: id, shipping_details: shipping };
    expect(await team.post('/v3/order/testkit', body)).toMatchObject(refusal);
  });

  it('can be imported', async () => {
    const { id } = await withdrawn('walk_in_test', 'labcorp');
    const answer = await team.post('/v3/order/import', {
      ...order(await team.user(), id),
      order_set: { lab_test_ids: [id] },
      collection_method: 'walk_in_test',
      billing_type: 'client_bill',
      sample_id: 'OLD-1',
    });
    expect(answer.json.order?.last_event.status).toBe('received.walk_in_test.requisition_bypassed');
  });
});

describe('a patient under 18', () => {
  const child = { ...patient, dob: '2015-05-05' };
  const proxy = { first_name: 'Anne', last_name: 'Milbanke', address, phone_number: '+14155550132' };

  it('needs a team that allows minors, and a medical proxy', async () => {
    const young = await service.team();
    const kit = await findLabTestId(young, 'testkit');
    const body = { ...order(await young.user(), kit), patient_details: child };
    expect((await young.post('/v3/order', body)).json.detail).toContain('not enabled');
    const path = `/v1/org/${young.orgId}/team/${young.tenant.teamId}`;
    expect((await young.management.patch(path, { sandbox: { minor_ordering_enabled: true } })).status).toBe(
      200,
    );
    expect((await young.post('/v3/order', body)).json.detail).toContain('medical_proxy');
    const answer = await young.post('/v3/order', {
      ...body,
      patient_details: { ...child, medical_proxy: proxy },
    });
    expect(answer.status).toBe(200);
  });

  it('cannot be drawn at home', async () => {
    const home = await findLabTestId(team, 'at_home_phlebotomy');
    const body = { ...order(await team.user(), home), patient_details: { ...child, medical_proxy: proxy } };
    expect((await team.post('/v3/order', body)).json.detail).toContain('At-home phlebotomy');
  });
});

describe('two concurrent step changes', () => {
  it('do not both succeed', async () => {
    const kit = await findLabTestId(team, 'testkit');
    const { id } = (await team.post('/v3/order', order(await team.user(), kit))).json.order;
    const answers = await Promise.all(Array.from({ length: 8 }, () => team.post(`/v3/order/${id}/cancel`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status } of answers) expect([200, 400, 409]).toContain(status);
    const { events } = (await team.get(`/v3/order/${id}`)).json;
    expect(events.map(({ status }: { status: string }) => status)).toEqual([
      'received.testkit.ordered',
      'cancelled.testkit.cancelled',
    ]);
  });
});
