import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { inTenant } from '../../app.ts';
import { findCoverage } from './insurance.ts';

let service: TestService;
beforeAll(async () => void (service = await openTestService()));
afterAll(() => service.close());

const address = {
  first_line: '123 Main St.',
  second_line: 'Apt. 208',
  country: 'US',
  zip: '94117',
  city: 'San Francisco',
  state: 'CA',
};
const insured = {
  first_name: 'Jane',
  last_name: 'Doe',
  gender: 'female',
  address,
  dob: '1980-04-01',
  email: 'jane@example.com',
  phone_number: '+14155550132',
};
const guarantor = {
  first_name: 'John',
  last_name: 'Doe',
  address,
  phone_number: '+14155550133',
  household_income: 50000,
  household_size: 2,
  email: 'john@example.com',
};
const request = {
  payor_code: 'AQ-00001',
  member_id: 'M-1001',
  group_id: 'G-7',
  relationship: 'Self',
  insured,
};

const pathOf = (userId: string) => `/v2/user/${userId}/insurance`;
const latest = async (team: TestTeam, userId: string, query = '') =>
  team.get(`${pathOf(userId)}/latest${query}`);
const coverageOf = (team: TestTeam, userId: string, isPrimary?: boolean) =>
  inTenant(service.app, team.tenant, (work) => findCoverage(work, userId, isPrimary));

describe('creating an insurance', () => {
  it('returns it with the company of the payor, also when it is read', async () => {
    const team = await service.team();
    const user = await team.user();
    const created = await team.post(pathOf(user), { ...request, guarantor, extra: 'ignored' });
    expect(created.status).toBe(200);
    expect(created.json).toEqual({
      ...request,
      guarantor,
      is_primary: true,
      company: {
        name: 'UnitedHealthcare',
        address: expect.objectContaining({
          first_line: '9900 Bren Road East',
          city: 'Minnetonka',
          zip: '55343',
        }),
      },
    });
    expect(created.headers['x-service-warning']).toBeUndefined();
    expect((await latest(team, user)).json).toEqual(created.json);
    expect((await latest(team, user, '?is_primary=true')).json).toEqual(created.json);
  });

  it('needs no demographics, no group and, whatever the relationship, no guarantor', async () => {
    const team = await service.team();
    const user = await team.user();
    const { group_id: _group, ...rest } = request;
    const created = await team.post(pathOf(user), { ...rest, relationship: 'Spouse' });
    expect(created.status).toBe(200);
    expect(created.json).toMatchObject({ relationship: 'Spouse', group_id: null, guarantor: null });
    expect((await team.post(pathOf(user), { ...rest, group_id: '' })).json.group_id).toBe('');
  });

  it('stores one primary and one secondary; a new one replaces its kind and the old one stays as history', async () => {
    const team = await service.team();
    const user = await team.user();
    for (const [member_id, is_primary] of [
      ['first', true],
      ['second', false],
      ['third', true],
    ] as const) {
      expect((await team.post(pathOf(user), { ...request, member_id, is_primary })).status).toBe(200);
    }
    expect((await latest(team, user)).json).toMatchObject({ member_id: 'third', is_primary: true });
    expect((await latest(team, user, '?is_primary=false')).json).toMatchObject({
      member_id: 'second',
      is_primary: false,
    });
    const { rows } = await service.ownerPool.query<{ current: boolean }>(
      'select replaced_at is null as current from health_insurance where user_id = $1 order by id',
      [user],
    );
    expect(rows.map(({ current }) => current)).toEqual([false, true, true]);
  });

  it('leaves one current after concurrent calls', async () => {
    const team = await service.team();
    const user = await team.user();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        team.post(pathOf(user), { ...request, member_id: `M-${at}`, is_primary: at % 2 === 0 }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { rows } = await service.ownerPool.query<{ all: number; current: number }>(
      `select count(*)::int as all, (count(*) filter (where replaced_at is null))::int as current
       from health_insurance where user_id = $1`,
      [user],
    );
    expect(rows[0]).toEqual({ all: 12, current: 2 });
  });

  it('creates one insurance per idempotency key', async () => {
    const team = await service.team();
    const user = await team.user();
    const once = () => team.post(pathOf(user), request, { 'x-idempotency-key': 'insure-1' });
    const first = await once();
    expect((await once()).text).toBe(first.text);
    const { rowCount } = await service.ownerPool.query('select from health_insurance where user_id = $1', [
      user,
    ]);
    expect(rowCount).toBe(1);
  });

  it('stores nothing in plain text', async () => {
    const team = await service.team();
    const user = await team.user();
    await team.post(pathOf(user), { ...request, guarantor });
    const { rows } = await service.ownerPool.query(
      "select health_insurance::text as row, encode(document, 'escape') as document from health_insurance where user_id = $1",
      [user],
    );
    for (const said of ['M-1001', 'Jane', 'John', 'AQ-00001', 'jane@example.com']) {
      expect(JSON.stringify(rows)).not.toContain(said);
    }
  });
});

describe('a payor', () => {
  it.each(['UNITED', 'Ünited ☂', "x'; drop table team_payor; --"])(
    'that sandbox does not know, %s, is taken as it is, with a warning',
    async (payor_code) => {
      const team = await service.team();
      const answer = await team.post(pathOf(await team.user()), { ...request, payor_code });
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({
        payor_code,
        company: { name: payor_code, address: { first_line: '', second_line: '', zip: '', country: '' } },
      });
      expect(answer.headers['x-service-warning']).toMatch(/payor_code/);
    },
  );

  it('that production does not know is a 404, and nothing is kept', async () => {
    const team = await service.team('production');
    const user = await team.user();
    const refused = await team.post(pathOf(user), { ...request, payor_code: 'UNITED' });
    expect([refused.status, refused.json]).toEqual([404, { detail: 'Payor not found' }]);
    expect((await latest(team, user)).status).toBe(404);
    expect((await team.post(pathOf(user), request)).status).toBe(200);
  });

  it('is found by its code case-insensitively', async () => {
    const team = await service.team('production');
    const answer = await team.post(pathOf(await team.user()), { ...request, payor_code: ' aq-00001 ' });
    expect(answer.json).toMatchObject({ payor_code: 'AQ-00001', company: { name: 'UnitedHealthcare' } });
  });

  it("of the team's own names the company, for this team only", async () => {
    const [team, stranger] = [await service.team('production'), await service.team('production')];
    const { json: payor } = await team.post('/v3/payor', { name: 'Union Trust Plan', address });
    const own = { ...request, payor_code: payor.payor_code };
    const answer = await team.post(pathOf(await team.user()), own);
    expect(answer.json.company).toEqual({ name: 'Union Trust Plan', address });
    expect((await stranger.post(pathOf(await stranger.user()), own)).status).toBe(404);
  });
});

const without = (thing: object, key: string) =>
  Object.fromEntries(Object.entries(thing).filter(([name]) => name !== key));
const insuring = (change: object) => ({ ...request, insured: { ...insured, ...change } });
const living = (change: object) => insuring({ address: { ...address, ...change } });

// prettier-ignore
const faults: [string, object, (string | number)[], string?][] = [
  ...Object.keys(insured).map((key): [string, object, string[]] =>
    [`insured without ${key}`,            { ...request, insured: without(insured, key) }, ['insured', key]]),
  ...['payor_code', 'member_id', 'relationship', 'insured'].map((key): [string, object, string[]] =>
    [`no ${key}`,                         without(request, key),                          [key]]),
  ...['first_line', 'country', 'zip', 'city', 'state'].map((key): [string, object, string[], string] =>
    [`an address without ${key}`,         insuring({ address: without(address, key) }),   ['insured', 'address', key], 'missing']),
  ['an unknown relationship',             { ...request, relationship: 'Parent' },         ['relationship']],
  ['an unknown gender',                   insuring({ gender: 'f' }),                      ['insured', 'gender']],
  ['a name that laboratories refuse',     insuring({ first_name: 'Jane  B' }),            ['insured', 'first_name']],
  ['a name of 51 letters',                insuring({ last_name: 'a'.repeat(51) }),        ['insured', 'last_name']],
  ['a day of birth that is no day',       insuring({ dob: '1980-02-30' }),                ['insured', 'dob']],
  ['a day of birth in the future',        insuring({ dob: '2026-03-02' }),                ['insured', 'dob']],
  ['a broken e-mail address',             insuring({ email: 'jane' }),                    ['insured', 'email']],
  ['a telephone number of words',         insuring({ phone_number: 'none' }),             ['insured', 'phone_number']],
  ['a state that is none',                living({ state: 'California' }),                ['insured', 'address', 'state']],
  ['a zip of four digits',                living({ zip: '9411' }),                        ['insured', 'address', 'zip']],
  ['access notes of 1001 letters',        living({ access_notes: 'a'.repeat(1001) }),     ['insured', 'address', 'access_notes']],
  ['a guarantor without address',         { ...request, guarantor: without(guarantor, 'address') }, ['guarantor', 'address'], 'missing'],
  ['an income of words',                  { ...request, guarantor: { ...guarantor, household_income: 'much' } }, ['guarantor', 'household_income']],
  ['is_primary as a word',                { ...request, is_primary: 'yes' },              ['is_primary']],
  ['a NUL in the group_id',                { ...request, group_id: 'A\0B' },                ['group_id']],
  ['an empty payor_code',                 { ...request, payor_code: ' ' },                ['payor_code']],
  ['a NUL in the payor_code',             { ...request, payor_code: 'A\0B' },             ['payor_code']],
  ['a number as member_id',               { ...request, member_id: 7 },                   ['member_id']],
  ['a member_id beyond measure',          { ...request, member_id: 'm'.repeat(101) },     ['member_id']],
];

describe('a refusal', () => {
  let team: TestTeam;
  let user: string;
  beforeAll(async () => {
    team = await service.team();
    user = await team.user();
  });

  it.each(faults)('of %s names the place', async (...[, body, place, type]) => {
    const { status, json } = await team.post(pathOf(user), body);
    expect(status).toBe(422);
    expect(json.detail).toEqual([
      expect.objectContaining({ loc: ['body', ...place], ...(type ? { type } : {}) }),
    ]);
    expect((await latest(team, user)).status).toBe(404);
  });

  it('of the documented example, which says zip_code and leaves out country, names both', async () => {
    const { zip, country: _country, ...rest } = address;
    const { status, json } = await team.post(pathOf(user), insuring({ address: { ...rest, zip_code: zip } }));
    expect(status).toBe(422);
    const places = json.detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc.join('.'), type]);
    expect(places.toSorted()).toEqual([
      ['body.insured.address.country', 'missing'],
      ['body.insured.address.zip', 'missing'],
    ]);
  });

  it('of a request without a body is a 422', async () => {
    expect((await team.post(pathOf(user))).status).toBe(422);
    expect((await latest(team, user, '?is_primary=maybe')).status).toBe(422);
    expect((await latest(team, 'no-id')).status).toBe(422);
  });
});

it('accepts a foreign address with its own kind of postal code, and no second line', async () => {
  const team = await service.team();
  const abroad = {
    first_line: '1 Rue X',
    second_line: null,
    country: 'FR',
    zip: '75001',
    city: 'Paris',
    state: 'IDF',
  };
  const answer = await team.post(pathOf(await team.user()), insuring({ address: abroad }));
  expect(answer.json.insured.address).toMatchObject(abroad);
});

describe('isolation and erasure', () => {
  it('hides the insurance from other teams', async () => {
    const [team, stranger] = [await service.team(), await service.team()];
    const user = await team.user();
    await team.post(pathOf(user), request);
    for (const { status, json } of [
      await latest(stranger, user),
      await stranger.post(pathOf(user), request),
      await latest(team, '0190a5e6-0000-7000-8000-000000000000'),
    ]) {
      expect([status, json]).toEqual([404, { detail: 'User not found' }]);
    }
  });

  it('hides the insurance of a deleted user', async () => {
    const team = await service.team();
    const user = await team.user();
    await team.post(pathOf(user), request);
    await team.delete(`/v2/user/${user}`);
    expect((await latest(team, user)).status).toBe(404);
    expect((await team.post(pathOf(user), request)).status).toBe(404);
  });

  it('erases the insurance with its user', async () => {
    const team = await service.team();
    const user = await team.user();
    await team.post(pathOf(user), request);
    await service.ownerPool.query('delete from app_user where id = $1', [user]);
    const { rowCount } = await service.ownerPool.query('select from health_insurance where user_id = $1', [
      user,
    ]);
    expect(rowCount).toBe(0);
  });

  it('responds with 404 for a user without such an insurance', async () => {
    const team = await service.team();
    const user = await team.user();
    await team.post(pathOf(user), request);
    const missing = await latest(team, user, '?is_primary=false');
    expect([missing.status, missing.json]).toEqual([404, { detail: 'Insurance not found' }]);
  });
});

it('provides the coverage to orders', async () => {
  const team = await service.team();
  const user = await team.user();
  expect(await coverageOf(team, user)).toBeUndefined();
  await team.post(pathOf(user), { ...request, relationship: 'Other', guarantor });
  expect(await coverageOf(team, user)).toEqual({
    id: expect.any(String),
    payorCode: 'AQ-00001',
    relationship: 'Other',
    hasGuarantor: true,
  });
  expect(await coverageOf(team, user, false)).toBeUndefined();
});
