import { beforeAll, describe, expect, it } from 'vitest';
import { address, order, patient } from '../../../test/examples.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { isoDay, later, DAY } from '../../platform/clock.ts';

/** The standard lab tests and the lab accounts of a sandbox team, by what they are asked for. */
let tests: Record<string, string>;
let accounts: { id: string; lab: string; status: string; delegated_flow: string }[];
const service = useTestService();
const team = useTestTeam(service);
beforeAll(async () => {
  tests = await testsOf(team);
  accounts = (await team.get('/v3/lab_test/lab_account')).json.data;
});

const testsOf = async (of: TestTeam): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await of.get('/v3/lab_tests')).json
      .toReversed()
      .map(({ method, id }: { method: string; id: string }) => [method, id]),
  );

const accountOf = (lab: string, status: string, flow: string): string => {
  const found = accounts.find(
    (account) => account.lab === lab && account.status === status && account.delegated_flow === flow,
  );
  if (!found) throw new Error(`No ${status} ${flow} account of ${lab}`);
  return found.id;
};

const body = async (method = 'walk_in_test') => order(await team.user(), tests[method] ?? '');
const person = {
  first_name: 'Anne',
  last_name: 'Milbanke',
  phone_number: '+14155550132',
  address: { first_line: '1 Main', city: 'San Francisco', state: 'CA', zip: '94104', country: 'US' },
};

type ErrorLocation = (string | number)[];
const of = (field: 'patient_details' | 'patient_address', change: object) => ({
  [field]: { ...(field === 'patient_details' ? patient : address), ...change },
});
const at = (...place: ErrorLocation): ErrorLocation => ['body', ...place];

// prettier-ignore
const fields: [string, object, ErrorLocation][] = [
  ['an empty first name',           of('patient_details', { first_name: '' }),                at('patient_details', 'first_name')],
  ['a name of 51 letters',          of('patient_details', { first_name: 'a'.repeat(51) }),    at('patient_details', 'first_name')],
  ['a name in another alphabet',    of('patient_details', { first_name: 'Зоя' }),             at('patient_details', 'first_name')],
  ['a name that begins with a dot', of('patient_details', { last_name: '.Doe' }),             at('patient_details', 'last_name')],
  ['a name that begins with a space', of('patient_details', { last_name: ' Doe' }),           at('patient_details', 'last_name')],
  ['a name that ends with a space', of('patient_details', { last_name: 'Doe ' }),             at('patient_details', 'last_name')],
  ['two spaces in a name',          of('patient_details', { last_name: 'van  Gogh' }),        at('patient_details', 'last_name')],
  ['a tab in a name',               of('patient_details', { last_name: 'van\tGogh' }),        at('patient_details', 'last_name')],
  ['a sign in the receiver’s name', of('patient_address', { receiver_name: 'Ada & Co' }),     at('patient_address', 'receiver_name')],
  ['a birth date to come',          of('patient_details', { dob: '2026-03-03' }),             at('patient_details', 'dob')],
  ['a birth date of today',         of('patient_details', { dob: '2026-03-02' }),             at('patient_details', 'dob')],
  ['a day that does not exist',     of('patient_details', { dob: '1985-02-30' }),             at('patient_details', 'dob')],
  ['a birth date that is a moment', of('patient_details', { dob: '1985-12-10T09:00:00Z' }),   at('patient_details', 'dob')],
  ['no e-mail address',             of('patient_details', { email: 'ada' }),                  at('patient_details', 'email')],
  ['a phone number of six digits',  of('patient_details', { phone_number: '+12345 6' }),      at('patient_details', 'phone_number')],
  ['a phone number of sixteen',     of('patient_details', { phone_number: '+1234567890123456' }), at('patient_details', 'phone_number')],
  ['letters in a phone number',     of('patient_details', { phone_number: '1-800-LABTEST' }), at('patient_details', 'phone_number')],
  ['an unknown gender',             of('patient_details', { gender: 'f' }),                   at('patient_details', 'gender')],
  ['a state in small letters',      of('patient_address', { state: 'ca' }),                   at('patient_address', 'state')],
  ['a state by its name',           of('patient_address', { state: 'California' }),           at('patient_address', 'state')],
  ['a zip of four digits',          of('patient_address', { zip: '9410' }),                   at('patient_address', 'zip')],
  ['a zip with a short extension',  of('patient_address', { zip: '94104-12' }),               at('patient_address', 'zip')],
  ['no first line',                 of('patient_address', { first_line: undefined }),         at('patient_address', 'first_line')],
  ['too long access notes',         of('patient_address', { access_notes: 'x'.repeat(1001) }), at('patient_address', 'access_notes')],
  ['too long clinical notes',       { clinical_notes: 'x'.repeat(1001) },                     at('clinical_notes')],
  ['an unknown billing',            { billing_type: 'barter' },                               at('billing_type')],
  ['an unknown collection method',  { collection_method: 'by_mail' },                         at('collection_method')],
  ['a physician without a name',    { physician: { last_name: 'Putnam', npi: '1' } },         at('physician', 'first_name')],
  ['a physician without an npi',    { physician: { first_name: 'M', last_name: 'P', npi: ' ' } }, at('physician', 'npi')],
  ['a proxy without an address',    of('patient_details', { medical_proxy: { ...person, address: undefined } }), at('patient_details', 'medical_proxy', 'address')],
  ['a user that is no id',          { user_id: 'ada' },                                       at('user_id')],
  ['a day in words',                { activate_by: 'tomorrow' },                              at('activate_by')],
  ['a day that is over everywhere', { activate_by: '2026-03-01' },                            at('activate_by')],
  ['an unknown consent',            { consents: [{ consentType: 'all' }] },                   at('consents', 0, 'consentType')],
  ['a priority in words',           { priority: 'yes' },                                      at('priority')],
  ['nothing that is ordered',       { lab_test_id: undefined },                               at('order_set')],
  ['a reason to replace nothing',   { update_reason: 'INCORRECT_LAB' },                       at('recreate_from_order_id')],
  ['an order to replace without a reason', { recreate_from_order_id: '01900000-0000-7000-8000-000000000000' }, at('update_reason')],
];

describe('rejects with a 422 at the field', () => {
  it.each(fields)('%s', async (_what, change, place) => {
    const answer = await team.post('/v3/order', { ...(await body()), ...change });
    expect(answer.status).toBe(422);
    expect(answer.json.detail.map(({ loc }: { loc: ErrorLocation }) => loc)).toContainEqual(place);
  });
});

// prettier-ignore
const taken: [string, object][] = [
  ['a name of one letter',           of('patient_details', { first_name: 'A' })],
  ['a name of 50 characters',        of('patient_details', { last_name: 'a'.repeat(50) })],
  ['a name with all that it may have', of('patient_details', { first_name: "3rd J.-P. O'Neil, Jr" })],
  ['no receiver',                    of('patient_address', { receiver_name: undefined })],
  ['a zip with its extension',       of('patient_address', { zip: '94104-1234' })],
  ['a territory',                    of('patient_address', { state: 'PR', zip: '00901' })],
  ['1000 characters of each note',   { clinical_notes: 'x'.repeat(1000), ...of('patient_address', { access_notes: 'x'.repeat(1000) }) }],
  ['a phone number with its signs',  of('patient_details', { phone_number: '(415) 555-0132' })],
  ['an adult since today',           of('patient_details', { dob: '2008-03-02' })],
  ['a birth date as it is answered', of('patient_details', { dob: '1985-12-10T00:00:00+00:00' })],
  ['today as its day',               { activate_by: '2026-03-02' }],
  ['fields that nobody knows',       { colour: 'blue', patient_weight: 60 }],
];

it.each(taken)('takes %s', async (_what, change) => {
  expect(await team.post('/v3/order', { ...(await body()), ...change })).toMatchObject({ status: 200 });
});

it('accepts a day that is still today in the westernmost time zone', async () => {
  const night = await service.team();
  service.clock.move(10 * 60 * 60 * 1000);
  const activate_by = isoDay(later(service.clock.now(), -DAY));
  const lab = (await testsOf(night))['walk_in_test'] ?? '';
  const answer = await night.post('/v3/order', { ...order(await night.user(), lab), activate_by });
  service.clock.move(-10 * 60 * 60 * 1000);
  expect(answer.json.order).toMatchObject({
    activate_by,
    last_event: { status: 'received.walk_in_test.ordered' },
  });
});

const nowhere = '01900000-0000-7000-8000-000000000000';
const commercial = { billing_type: 'commercial_insurance' };

// prettier-ignore
const rules: [string, () => object, number, RegExp][] = [
  ['an unknown user',                () => ({ user_id: nowhere }),                                      404, /^User not found$/],
  ['an unknown lab test',            () => ({ lab_test_id: nowhere }),                                  404, /^Lab test not found$/],
  ['an unknown lab account',         () => ({ lab_account_id: nowhere }),                               404, /^Lab account not found$/],
  ['an unknown order to replace',    () => ({ recreate_from_order_id: nowhere, update_reason: 'OTHER' }), 404, /^Order not found$/],
  ['a pending account',              () => ({ lab_account_id: accountOf('labcorp', 'pending', 'not_delegated') }),       400, /is pending, not active/],
  ['a suspended account',            () => ({ lab_account_id: accountOf('labcorp', 'suspended', 'order_delegated') }),   400, /is suspended, not active/],
  ['an account that is not launched', () => ({ lab_account_id: accountOf('labcorp', 'ready_to_launch', 'fully_delegated') }), 400, /is ready_to_launch, not active/],
  ['an account of another lab',      () => ({ lab_account_id: accountOf('quest', 'active', 'order_delegated') }),        400, /belongs to quest, but the order is for labcorp/],
  ['a set and a lab test',           () => ({ order_set: { lab_test_ids: [] } }),                       400, /Only one of order_set and lab_test_id/],
  ['two different accounts',         () => ({ lab_test_id: undefined, order_set: { lab_test_ids: [tests['walk_in_test']], lab_account_id: nowhere }, lab_account_id: accountOf('labcorp', 'active', 'not_delegated') }), 400, /different accounts/],
  ['another collection method',      () => ({ collection_method: 'testkit' }),                          400, /is collected by walk_in_test, not by testkit/],
  ['an empty set',                   () => ({ lab_test_id: undefined, order_set: {} }),                 400, /needs lab_test_ids or add_on/],
  ['lab tests of two labs',          () => ({ lab_test_id: undefined, order_set: { lab_test_ids: [tests['walk_in_test'], tests['testkit']] } }), 400, /must belong to one lab/],
  ['two collection methods',         () => ({ lab_test_id: undefined, order_set: { lab_test_ids: [tests['walk_in_test'], tests['at_home_phlebotomy']] } }), 400, /one collection method/],
  ['an add_on without a method',     () => ({ lab_test_id: undefined, order_set: { add_on: { marker_ids: [1] } } }), 400, /add_on needs collection_method/],
  ['an add_on of ids and codes',     () => ({ lab_test_id: undefined, collection_method: 'walk_in_test', order_set: { add_on: { marker_ids: [1], provider_ids: ['x'] } } }), 400, /exactly one of marker_ids and provider_ids/],
  ['an unknown marker',              () => ({ lab_test_id: undefined, collection_method: 'walk_in_test', order_set: { add_on: { marker_ids: [999999] } } }), 404, /Marker not found/],
  ['an unknown question',            () => ({ aoe_answers: [{ marker_id: 1, question_id: 1, answer: 'x' }] }), 400, /Unknown question/],
  ['insurance without a diagnosis',  () => ({ ...commercial }),                                         400, /needs icd_codes/],
  ['a diagnosis that is none',       () => ({ ...commercial, icd_codes: ['E11.77'] }),                 400, /needs valid icd_codes/],
  ['insurance that nobody has',      () => ({ ...commercial, icd_codes: ['E11.9'] }),                   400, /needs a primary insurance; create one/],
  ['a child',                        () => of('patient_details', { dob: '2008-03-03', medical_proxy: person }), 400, /under 18 is not enabled/],
];

describe('rejects with a reason', () => {
  it.each(rules)('%s', async (_what, change, status, detail) => {
    const answer = await team.post('/v3/order', { ...(await body()), ...change() });
    expect(answer).toMatchObject({
      status,
      json: { detail: expect.stringMatching(detail) },
    });
  });

  it('insurance billing at a lab that does not accept it', async () => {
    const answer = await team.post('/v3/order', {
      ...(await body('testkit')),
      ...commercial,
      icd_codes: ['E11.9'],
    });
    expect(answer.json.detail).toContain('is not accepted by ussl');
  });

  it('and stores nothing', async () => {
    const fresh = await service.team();
    const lab = (await testsOf(fresh))['walk_in_test'] ?? '';
    const user = await fresh.user();
    await fresh.post('/v3/order', { ...order(user, lab), lab_account_id: nowhere });
    await fresh.post('/v3/order', { ...order(user, lab), ...commercial });
    expect((await fresh.get('/v3/orders')).json.total).toBe(0);
    const { rows } = await service.ownerPool.query('select 1 from order_transaction where team_id = $1', [
      fresh.tenant.teamId,
    ]);
    expect(rows).toEqual([]);
  });
});

describe('the grace period of a delegated account', () => {
  // prettier-ignore
  it.each([
    ['a day before its end', '2026-03-03', 200],
    ['on its last day',      '2026-03-02', 200],
    ['the day after',        '2026-03-01', 400],
    ['when there is none',   null,         400],
  ] as const)('answers %s', async (_when, physician_grace_until, status) => {
    const own = await service.team();
    const path = `/v1/org/${own.orgId}/team/${own.tenant.teamId}`;
    await own.management.patch(path, { sandbox: { physician_grace_until } });
    const markers = (await own.get('/v3/lab_tests/markers?lab_slug=quest&a_la_carte_enabled=true&size=100')).json.markers;
    const plain = markers.find(({ aoe, is_orderable: yes }: { aoe: unknown; is_orderable: boolean }) => aoe === null && yes);
    const answer = await own.post('/v3/order', {
      ...order(await own.user(), ''),
      lab_test_id: undefined,
      collection_method: 'walk_in_test',
      order_set: { add_on: { marker_ids: [plain.id] } },
    });
    expect(answer.status).toBe(status);
    const said = status === 200 ? answer.headers['x-service-warning'] : answer.json.detail;
    expect(said).toContain('at least one physician (first_name, last_name, npi) is required');
  });
});

describe('an npi in production', () => {
  it.each([
    ['1234567893', 200],
    ['1234567890', 422],
    ['123', 422],
  ])('%s', async (npi, status) => {
    const production = await service.team('production');
    const lab = (await testsOf(production))['walk_in_test'] ?? '';
    const physician = { first_name: 'Mary', last_name: 'Putnam', npi };
    const answer = await production.post('/v3/order', { ...order(await production.user(), lab), physician });
    expect(answer.status).toBe(status);
    expect(answer.json.detail?.[0].loc ?? 'taken').toEqual(status === 422 ? at('physician', 'npi') : 'taken');
  });
});

describe('collection on site', () => {
  it('is available only to teams with the feature', async () => {
    const own = await service.team();
    const lab = (await testsOf(own))['on_site_collection'] ?? '';
    expect((await own.post('/v3/order', order(await own.user(), lab))).status).toBe(200);
    const path = `/v1/org/${own.orgId}/team/${own.tenant.teamId}`;
    await own.management.patch(path, { sandbox: { features: ['order_import'] } });
    service.clock.move(10_000);
    const { createTeamKey } = await import('../../identity/management/management.ts');
    const { value } = await createTeamKey(service.app, { tenant: own.tenant, label: 'later' });
    const later = service.client({ 'x-service-api-key': value });
    const answer = await later.post('/v3/order', order(await own.user(), lab));
    expect(answer).toMatchObject({
      status: 403,
      json: { detail: 'The feature on_site_collection is not enabled for this team' },
    });
    expect((await own.get('/v3/orders')).json.total).toBe(1);
  });
});
