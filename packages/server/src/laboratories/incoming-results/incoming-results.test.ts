import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shipping } from '../../../test/examples.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import {
  readOrderWithTests,
  observationsOf,
  placeOrder,
  reportOf,
  type OrderWithTests,
} from '../../../test/received-reports.ts';
import type { ReceivedReport } from '../../adapters/lab-network/port.ts';
import { inTenant } from '../../app.ts';
import { buildRequisition } from '../../ordering/orders/orders.ts';
import { receiveReport } from './incoming-results.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

const take = (report: ReceivedReport, messageId = 'message-1') =>
  inTenant(service.app, team.tenant, (work) => receiveReport(work, report, { messageId }));

/** An order at its requisition, for a person of its own. */
async function anOrder(wanted: Partial<Parameters<typeof placeOrder>[2]> = {}): Promise<OrderWithTests> {
  const userId = wanted.userId ?? (await team.user());
  return placeOrder(service, team, { ...wanted, userId });
}

const steps = async (id: string) => {
  const { order } = await readOrderWithTests(service, team, id);
  return order.events.map(({ step }) => step);
};

const review = async (report: ReceivedReport) => {
  const taken = await take(report);
  if (taken.outcome !== 'review') throw new Error(`Expected a review, got ${JSON.stringify(taken)}`);
  return (await team.get(`/v3/unmatched_result/${taken.resultId}`)).json;
};

const codeOf = async (report: ReceivedReport) => {
  const taken = await take(report);
  if (taken.outcome !== 'review') return taken.outcome;
  const { rows } = await service.ownerPool.query('select decision_code from incoming_result where id = $1', [
    taken.resultId,
  ]);
  return rows[0].decision_code;
};

describe('a report that names its order', () => {
  it('completes it, and is read as its results', async () => {
    const ordered = await anOrder();
    expect(await take(reportOf(ordered))).toEqual({
      outcome: 'attached',
      orderId: ordered.order.id,
      version: 1,
    });
    expect(await steps(ordered.order.id)).toEqual(['ordered', 'requisition_created', 'completed']);
    const result = await team.get(`/v3/order/${ordered.order.id}/result`);
    expect(result.json.metadata.status).toBe('final');
    expect(result.json.results.length).toBeGreaterThanOrEqual(ordered.tests.length);
    expect(result.json.missing_results).toEqual([]);
  });

  it('is received once, even if several messages contain it', async () => {
    const ordered = await anOrder();
    const report = reportOf(ordered);
    const both = await Promise.all([take(report), take(report)]);
    expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(['attached', 'repeat']);
    expect(await take(report, 'message-2')).toEqual({ outcome: 'repeat' });
    expect(await steps(ordered.order.id)).toHaveLength(3);
  });

  it('changes nothing when it repeats known content under another control id', async () => {
    const ordered = await anOrder();
    await take(reportOf(ordered));
    expect(await take(reportOf(ordered))).toMatchObject({ outcome: 'attached', version: 1 });
    expect(await steps(ordered.order.id)).toHaveLength(3);
  });

  it('comes in parts: each is readable at once, and the last completes the order', async () => {
    const ordered = await anOrder();
    const [first, second] = ordered.tests.map((test) => observationsOf(test));
    await take(reportOf(ordered, { status: 'partial', observations: first ?? [] }));
    const partial = await team.get(`/v3/order/${ordered.order.id}/result`);
    expect(partial.json.metadata.status).toBe('partial');
    expect(partial.json.results).toHaveLength(first?.length ?? 0);

    expect(await take(reportOf(ordered, { observations: second ?? [] }))).toMatchObject({ version: 2 });
    const whole = await team.get(`/v3/order/${ordered.order.id}/result`);
    expect(whole.json.metadata.status).toBe('final');
    expect(whole.json.results).toHaveLength((first?.length ?? 0) + (second?.length ?? 0));
    expect(whole.json.missing_results).toEqual([]);
    expect(await steps(ordered.order.id)).toEqual([
      'ordered',
      'requisition_created',
      'partial_results',
      'completed',
    ]);
  });

  it('sends partial results only to teams that enabled them', async () => {
    // What happened before is on its way to whoever listens by now.
    await service.settle();
    const receiver = await team.endpoint({ filter_types: ['labtest.order.updated'] });
    const ordered = await anOrder({ step: 'ordered' });
    await take(reportOf(ordered, { status: 'partial' }));
    await service.settle();
    expect(receiver.received.map(({ body }) => body.data['last_event'])).toEqual([
      expect.objectContaining({ status: 'received.walk_in_test.requisition_created' }),
    ]);
    expect(await steps(ordered.order.id)).toEqual(['ordered', 'requisition_created', 'partial_results']);
  });

  it('corrects a completed order by a further version, and the older one stays readable', async () => {
    const ordered = await anOrder();
    await take(reportOf(ordered));
    const [test] = ordered.tests;
    const corrected = test ? observationsOf(test, { value: '999', status: 'corrected' }) : [];
    const reportedAt = new Date(ordered.order.created_at.getTime() + 2 * 86_400_000);
    // The laboratory sends the corrected value alone.
    const taken = await take(reportOf(ordered, { status: 'corrected', observations: corrected, reportedAt }));
    expect(taken).toMatchObject({ outcome: 'attached', version: 2 });
    expect((await steps(ordered.order.id)).at(-1)).toBe('corrected');
    const [now, before] = await Promise.all([
      team.get(`/v3/order/${ordered.order.id}/result`),
      team.get(`/v3/order/${ordered.order.id}/result?version=1`),
    ]);
    expect(now.json.metadata.status).toBe('corrected');
    expect(now.json.results).toHaveLength(before.json.results.length);
    expect(now.json.results.filter(({ result }: { result: string }) => result === '999')).toHaveLength(
      corrected.length,
    );
    expect(before.json.results.some(({ result }: { result: string }) => result === '999')).toBe(false);
  });

  it('does not undo a correction that overtook it', async () => {
    const ordered = await anOrder();
    const [test] = ordered.tests;
    const observations = test ? observationsOf(test, { value: '999', status: 'corrected' }) : [];
    const reportedAt = new Date(ordered.order.created_at.getTime() + 9 * 86_400_000);
    await take(reportOf(ordered, { status: 'corrected', observations, reportedAt }));
    await take(reportOf(ordered));
    const now = await team.get(`/v3/order/${ordered.order.id}/result`);
    expect(now.json.results.filter(({ result }: { result: string }) => result === '999')).toHaveLength(
      observations.length,
    );
    expect(now.json.results.length).toBeGreaterThan(observations.length);
  });

  it('does not undo a correction of the same moment, as of the same day, that overtook it', async () => {
    const ordered = await anOrder();
    const [test] = ordered.tests;
    const valued = (value: string, status: 'final' | 'corrected') =>
      reportOf(ordered, { status, observations: test ? observationsOf(test, { value, status }) : [] });
    await take(valued('7', 'corrected'));
    await take(valued('5', 'final'));
    const { json } = await team.get(`/v3/order/${ordered.order.id}/result`);
    expect(json.results[0].result).toBe('7');
    expect(await take(valued('8', 'corrected'))).toMatchObject({ outcome: 'attached' });
    expect((await team.get(`/v3/order/${ordered.order.id}/result`)).json.results[0].result).toBe('8');
  });

  it('corrects a test while another one is pending, which then still comes to its order', async () => {
    const ordered = await anOrder();
    const { id } = ordered.order;
    const [one, other] = ordered.tests.map((test) => observationsOf(test));
    const hemolyzed = { value: null, status: 'cancelled', notes: ['Specimen hemolyzed'] } as const;
    const takenBack = one?.map((each) => ({ ...each, ...hemolyzed })) ?? [];
    await take(reportOf(ordered, { status: 'partial', observations: one ?? [] }));
    await take(reportOf(ordered, { status: 'corrected', isPending: true, observations: takenBack }));
    expect((await steps(id)).slice(2)).toEqual(['partial_results', 'partial_results']);
    expect(await take(reportOf(ordered, { observations: other ?? [] }))).toMatchObject({
      outcome: 'attached',
    });
    const { json } = await team.get(`/v3/order/${id}/result`);
    expect([json.results.length, json.missing_results.length]).toEqual([other?.length, one?.length]);
  });

  it('needs a review if it would replace final results by preliminary ones', async () => {
    const ordered = await anOrder();
    const [test] = ordered.tests;
    await take(reportOf(ordered, { observations: test ? observationsOf(test) : [] }));
    expect(await codeOf(reportOf(ordered, { status: 'partial' }))).toBe('match_completed');
  });
});

// prettier-ignore
const journeys: [string, string, string, string, string[]][] = [
  // method              lab         from                     status     the steps that follow
  ['testkit',            'ulta',     'transit_lab',           'final',   ['delivered_to_lab', 'completed']],
  ['testkit',            'ulta',     'with_customer',         'final',   ['transit_lab', 'delivered_to_lab', 'completed']],
  ['testkit',            'ulta',     'transit_lab',           'partial', ['delivered_to_lab']],
  ['testkit',            'ulta',     'lab_processing_blocked', 'final',  ['completed']],
  ['walk_in_test',       'labcorp',  'ordered',               'final',   ['requisition_created', 'completed']],
  ['walk_in_test',       'labcorp',  'appointment_scheduled', 'partial', ['partial_results']],
  ['walk_in_test',       'labcorp',  'appointment_cancelled', 'final',   ['completed']],
  ['at_home_phlebotomy', 'labcorp',  'appointment_scheduled', 'final',   ['draw_completed', 'completed']],
  ['at_home_phlebotomy', 'labcorp',  'draw_completed',        'partial', ['partial_results']],
  ['on_site_collection', 'labcorp',  'requisition_created',   'final',   ['draw_completed', 'completed']],
];

describe('a result proves unreported steps', () => {
  it.each(journeys)('%s of %s at %s, %s', async (...[method, lab, from, status, follow]) => {
    const ordered = await anOrder({ method, lab: await labOf(lab, method), step: from });
    const before = ordered.order.events.length;
    await take(reportOf(ordered, { status: status === 'partial' ? 'partial' : 'final' }));
    expect((await steps(ordered.order.id)).slice(before)).toEqual(follow);
  });

  /** The laboratory, or another one that collects in this way and can be asked for single markers. */
  async function labOf(wanted: string, method: string): Promise<string> {
    const { rows } = await service.ownerPool.query<{ slug: string }>(
      `select l.slug from lab l where $1 = any(l.collection_methods) and exists (select from marker m
         where m.lab_id = l.id and m.type = 'biomarker' and m.a_la_carte_enabled and m.is_orderable and m.aoe is null)
       order by l.slug <> $2, l.id`,
      [method, wanted],
    );
    return rows[0]?.slug ?? wanted;
  }
});

describe('a redraw', () => {
  const failed = { value: null, status: 'cancelled', notes: ['Quantity not sufficient'] } as const;

  it('replaces failed tests, once', async () => {
    const ordered = await anOrder();
    const [first, second] = ordered.tests;
    if (!first || !second) throw new Error('two tests');
    await take(
      reportOf(ordered, { observations: [...observationsOf(first), ...observationsOf(second, failed)] }),
    );
    const { order } = await readOrderWithTests(service, team, ordered.order.id);
    expect(order.step).toBe('redraw_available');
    const redraw = order.siblings.find(({ origin }) => origin === 'redraw');
    expect(order.siblings).toHaveLength(2);

    await team.post(`/v3/order/${redraw?.id}/test?final_status=requisition_created`);
    const again = await readOrderWithTests(service, team, redraw?.id ?? '');
    expect(again.tests.map(({ markerId }) => markerId)).toEqual([second.markerId]);
    await take(reportOf(again, { observations: observationsOf(second, failed) }));
    expect((await steps(again.order.id)).at(-1)).toBe('sample_error');
  });

  it('is not offered for at-home draws: nothing measured is a sample error, with its detail', async () => {
    const ordered = await anOrder({ method: 'at_home_phlebotomy', step: 'draw_completed' });
    await take(
      reportOf(ordered, { observations: ordered.tests.flatMap((test) => observationsOf(test, failed)) }),
    );
    const { order } = await readOrderWithTests(service, team, ordered.order.id);
    expect([order.step, order.status_detail]).toEqual(['sample_error', 'sample_quantity_not_sufficient']);
  });
});

describe('the patient of a report', () => {
  const ada = { first_name: 'Maria-Elena', last_name: "O'Connor", dob: '1971-03-04', gender: 'female' };
  const said = {
    firstName: 'MARIA ELENA',
    lastName: 'OCONNOR',
    dob: '1971-03-04',
    gender: 'female',
    patientId: null,
  } as const;

  // prettier-ignore
  const people: [string, Partial<Record<keyof typeof said, string | null>>, boolean][] = [
    ['as ordered',                        {},                                             true],
    ['with a middle name',                { firstName: 'MARIA ELENA ROSA' },              true],
    ['with accents',                      { firstName: 'María Elena' },                   true],
    ['with a slip in the family name',    { lastName: 'OCONNER' },                        true],
    ['with a suffix',                     { lastName: "O'CONNOR JR." },                   true],
    ['with names exchanged',              { firstName: 'OCONNOR', lastName: 'MARIA-ELENA' }, true],
    ['of unknown gender',                 { gender: null },                               true],
    ['with another gender',               { gender: 'male' },                             true],
    ['with another date of birth',        { dob: '1980-03-04' },                          false],
    ['with day and month exchanged',      { dob: '1971-04-03' },                          false],
    ['with another family name',          { lastName: 'FITZGERALD' },                     false],
    ['with another first name',           { firstName: 'JOHANNA' },                       false],
    ['without a date of birth',           { dob: null },                                  false],
    ['without names',                     { firstName: null, lastName: null },            false],
  ];

  it.each(people)('a sample id and a patient %s', async (_, change, attaches) => {
    const ordered = await anOrder({ person: ada });
    const patient = { ...said, ...change } as ReceivedReport['patient'];
    const code = await codeOf(reportOf(ordered, { placerOrderId: null, patient }));
    expect(code).toBe(attaches ? 'attached' : 'match_sample_id_mismatch_demo');
  });

  it('accepts a report without a patient if it names the order twice', async () => {
    const ordered = await anOrder({ person: ada });
    expect(await codeOf(reportOf(ordered, { placerOrderId: null, patient: null }))).toBe(
      'match_sample_id_mismatch_demo',
    );
    expect(await codeOf(reportOf(ordered, { patient: null }))).toBe('attached');
  });

  it('asks for a review if another patient matches better', async () => {
    const twins = { last_name: 'Bergstrom', dob: '1999-01-02', gender: 'female' };
    const maria = await anOrder({ person: { ...twins, first_name: 'Maria' } });
    const marie = await anOrder({ person: { ...twins, first_name: 'Marie' } });
    const patient = reportOf(marie).patient;
    const asked = await review(reportOf(maria, { patient }));
    expect(asked.candidate_groups.map(({ user_id }: { user_id: string }) => user_id)).toEqual([
      maria.order.user_id,
      marie.order.user_id,
    ]);
  });

  it('finds the order of the patient without ids, but does not attach it automatically', async () => {
    const ordered = await anOrder({ person: { first_name: 'Unique', last_name: 'Featherstone-Haugh' } });
    const patient = { ...said, firstName: 'UNIQUE', lastName: 'FEATHERSTONEHAUGH', dob: '1985-12-10' };
    const asked = await review(reportOf(ordered, { placerOrderId: null, sampleIds: ['UNKNOWN-1'], patient }));
    expect(asked).toMatchObject({
      status: 'pending_customer_review',
      reason: expect.stringContaining('names no order'),
      allowed_actions: ['accept', 'accept_but_not_one_of_suggested_outcomes', 'reject', 'unsure'],
      candidate_groups: [
        {
          user_id: ordered.order.user_id,
          candidates: [
            {
              candidate_type: 'order_option',
              order_id: ordered.order.id,
              last_status: 'requisition_created',
              confidence_level: 'high',
              confidence_score: 1,
              marker_overlap: { ordered: 2, shared: 2 },
            },
          ],
        },
      ],
    });
    expect(await steps(ordered.order.id)).toHaveLength(2);
  });
});

describe('a review', () => {
  const unnamed = { placerOrderId: null, sampleIds: ['UNKNOWN-2'] };

  it('contains the candidates', async () => {
    const person = { first_name: 'Quintus', last_name: 'Sixpence' };
    const userId = await team.user();
    const one = await anOrder({ userId, person });
    expect(await codeOf(reportOf(one, unnamed))).toBe('match_demo');
    const two = await anOrder({ userId, person });
    expect(await codeOf(reportOf(two, { ...unnamed, sampleIds: ['UNKNOWN-3'] }))).toBe('multiple_demo_match');
    expect(await codeOf(reportOf(two, { sampleIds: [one.order.sample_id ?? ''] }))).toBe(
      'multiple_demo_match',
    );
    expect(await codeOf(reportOf(two, { lab: 'quest' }))).toBe('wrong_lab');
    expect(await codeOf(reportOf(two, { lab: 'quest', placerOrderId: null }))).toBe('wrong_lab');
    const nobody = { firstName: 'NO', lastName: 'BODY', dob: '1950-01-01', gender: null, patientId: null };
    expect(await codeOf(reportOf(one, { ...unnamed, patient: nobody }))).toBe('no_match');
    expect(await codeOf(reportOf(one, { ...unnamed, patient: null }))).toBe('no_match');
    for (const { order } of [one, two]) await team.post(`/v3/order/${order.id}/cancel`);
    expect(await codeOf(reportOf(one))).toBe('match_cancelled');
    expect(await codeOf(reportOf(one, unnamed))).toBe('match_cancelled');
  });

  it('is opened for a draw without a booked phlebotomist', async () => {
    const ordered = await anOrder({
      method: 'at_home_phlebotomy',
      person: { first_name: 'Walker', last_name: 'Inskip' },
    });
    expect(await codeOf(reportOf(ordered))).toBe('wrong_collection');
    expect(await codeOf(reportOf(ordered, unnamed))).toBe('wrong_collection');
  });

  it('is opened for another account with the laboratory', async () => {
    const { rows } = await service.ownerPool.query(
      `select a.id, a.provider_account_id as number from lab_account a join lab_account_team t on t.lab_account_id = a.id
       where t.team_id = $1 and a.lab = 'labcorp' and a.status = 'active' limit 1`,
      [team.tenant.teamId],
    );
    const ordered = await anOrder();
    expect(ordered.order.lab_account_id).not.toBeNull();
    expect(rows.length).toBe(1);
    const { accountNumber } = await inTenant(service.app, team.tenant, async (work) =>
      buildRequisition(work, ordered.order),
    );
    const asked = await review(reportOf(ordered, { accountNumber: 'another-1' }));
    expect(asked).toMatchObject({
      sub_reason_codes: ['lab_account_mismatch'],
      reason: expect.stringContaining('account'),
    });
    expect(await codeOf(reportOf(ordered, { accountNumber: `00${accountNumber?.toLowerCase()}` }))).toBe(
      'attached',
    );
  });

  it('is opened if the report names an order of a deleted user', async () => {
    const ordered = await anOrder();
    await team.delete(`/v2/user/${ordered.order.user_id}`);
    expect(await codeOf(reportOf(ordered, { patient: null }))).toBe('no_match');
  });

  it('is opened for an unregistered kit, which cannot accept a result', async () => {
    const userId = await team.user();
    const tests = await team.get('/v3/lab_test?collection_method=testkit');
    const kit = await team.post('/v3/order/testkit', {
      user_id: userId,
      lab_test_id: (Array.isArray(tests.json.data) ? tests.json.data : tests.json)[0].id,
      shipping_details: shipping,
    });
    expect(kit.status).toBe(200);
    const ordered = await readOrderWithTests(service, team, kit.json.order.id);
    const asked = await review(
      reportOf(ordered, {
        patient: { firstName: 'A', lastName: 'B', dob: null, gender: null, patientId: null },
      }),
    );
    expect(asked.reason).toContain('is not registered');
    const refused = await team.post(`/v3/unmatched_result/${asked.id}/accept`, {});
    expect([refused.status, refused.json.detail]).toEqual([400, expect.stringContaining('not registered')]);
  });
});
