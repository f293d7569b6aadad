import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RouteRow } from '../src/platform/http/http.ts';
import { order, registration, shipping } from './examples.ts';
import { openHouse, type Caller, type House, type TeamInHand } from './house.ts';

let house: House;
let owner: TeamInHand;
/** What the owner has, by the name of the path parameter that a stranger would put it into. */
let theirs: Record<string, string>;

beforeAll(async () => {
  house = await openHouse();
  owner = await house.team();
  const userId = await owner.user('somebody');
  const tests = await owner.get('/v3/lab_tests?collection_method=testkit');
  const labTest = tests.json[0];
  const placed = await owner.post('/v3/order', order(userId, labTest.id));
  await owner.post(`/v3/order/${placed.json.order.id}/test`);
  const hook = `/v1/org/${owner.orgId}/team/${owner.tenant.teamId}/sandbox/webhook`;
  const endpoint = await owner.management.post(hook, { url: 'http://127.0.0.1:9/hook' });
  const keys = await owner.management.get(`/v1/org/${owner.orgId}/management_key`);
  const accounts = await owner.get('/v3/lab_test/lab_account');
  theirs = {
    user_id: userId,
    client_user_id: 'somebody',
    order_id: placed.json.order.id,
    lab_test_id: labTest.id,
    transaction_id: placed.json.order.order_transaction.id,
    org_id: owner.orgId,
    team_id: owner.tenant.teamId,
    webhook_id: endpoint.json.id,
    key_id: keys.json.data[0].id,
    account_id: accounts.json.data[0].id,
  };
  await house.settle();
  const log = await owner.management.get(`/v1/org/${owner.orgId}/team/${owner.tenant.teamId}/sandbox/event`);
  theirs['message_id'] = `msg_${log.json.data[0].id}`;
  await owner.management.post(`${hook}/${endpoint.json.id}/test`, {});
  await house.settle();
  const attempts = await owner.management.get(`${hook}/${endpoint.json.id}/attempt`);
  theirs['attempt_id'] = attempts.json.data[0].id;
});
afterAll(() => house.close());

/** Parameters that name no row of a tenant. */
const WORDS: Record<string, string> = {
  environment: 'sandbox',
  env: 'sandbox',
  region: 'us',
  provider: 'fitbit',
  device_id: '01900000-0000-7000-8000-000000000000',
  lab_id: '1',
  provider_id: 'none',
};

/** Bodies that pass the schema, so that it is the id that decides. */
const bodies = (): Record<string, unknown> => ({
  createInsurance: {
    payor_code: 'X1',
    member_id: '1',
    relationship: 'Self',
    insured: {
      first_name: 'A',
      last_name: 'B',
      gender: 'female',
      dob: '1980-01-01',
      email: 'a@example.com',
      phone_number: '+14155550132',
      address: { first_line: '1 Main', city: 'SF', state: 'CA', zip: '94104', country: 'US' },
    },
  },
});

const sampleOf = (route: RouteRow): unknown => {
  const { body } = route.schema;
  if (!body) return undefined;
  const known = bodies()[route.schema.operationId] ?? { ...GENERIC, team_id: theirs['team_id'] };
  return known;
};

/** Carries every field that some route with an id wants; unknown fields are ignored. */
const GENERIC = {
  client_user_id: 'renamed',
  name: 'renamed',
  label: 'renamed',
  role: 'org_admin',
  url: 'https://example.com/stolen',
  headers: { 'x-stolen': 'yes' },
  env: 'sandbox',
  since: '2026-03-01T00:00:00Z',
  advance_seconds: 60,
  team_id_allowlist: [],
  activate_by: null,
  sms_enabled: true,
  region: 'us',
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'ada@example.com',
  phone_number: '+14155550132',
  gender: 'female',
  dob: '1985-12-10',
  address: { first_line: '1 Main', city: 'San Francisco', state: 'CA', zip: '94104', country: 'US' },
};

/** What a route cannot be asked without. */
const QUERIES: Record<string, string> = { getLabelsPdf: '?collection_date=2026-03-02T15:00:00Z' };

const parametersOf = (route: RouteRow) => [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');

const call = (caller: Caller, route: RouteRow) => {
  const path = route.path.replace(/:(\w+)/g, (_all, name: string) => {
    const value = theirs[name] ?? WORDS[name];
    if (value === undefined) throw new Error(`No sample for the parameter ${name} of ${route.path}`);
    return value;
  });
  const body = sampleOf(route);
  switch (route.method) {
    case 'GET':
      return caller.get(path + (QUERIES[route.schema.operationId] ?? ''));
    case 'DELETE':
      return caller.delete(path.includes('team_api_keys') ? `${path}?api_key_id=${theirs['key_id']}` : path);
    default:
      return caller[route.method.toLowerCase() as 'post' | 'patch' | 'put'](path, body);
  }
};

/** The catalogue of laboratories is everybody's. */
const PUBLIC = new Set(['/v3/lab_tests/:lab_id/markers/:provider_id']);
const withId = (scope: 'team' | 'management') =>
  house.http.routes.filter(
    (route) => route.scope === scope && parametersOf(route).length > 0 && !PUBLIC.has(route.path),
  );

const ALL_FEATURES = `update team_environment as here set features = other.features from team_environment as other
  where other.team_id = here.team_id and other.environment = 'sandbox' and here.team_id = $1`;

describe('a stranger', () => {
  it('of another team gets 404 from every route with an id', async () => {
    const stranger = await house.team();
    expect(await answersTo(stranger, 'team')).toEqual([]);
  });

  it('of the other environment of the same team gets 404 too', async () => {
    const { createTeamKey } = await import('../src/management/management.ts');
    const tenant = { teamId: owner.tenant.teamId, environment: 'production' as const };
    // With every feature on, so that it is the environment that decides.
    await house.owner.query(ALL_FEATURES, [tenant.teamId]);
    const { value } = await createTeamKey(house.app, { tenant, label: 'production' });
    const caller = house.caller({ 'x-service-api-key': value });
    const routes = withId('team').filter(
      ({ path }) => path !== '/v2/team/:team_id' && !path.endsWith('/physicians'),
    );
    expect(await answersTo(caller, 'team', routes)).toEqual([]);
  });

  it('of another organization gets 404 from every management route', async () => {
    const stranger = await house.team();
    expect(await answersTo(stranger.management, 'management')).toEqual([]);
  });

  it('without a key gets 401 from every route', async () => {
    const nobody = house.caller({});
    const routes = house.http.routes.filter(({ scope }) => scope !== 'open');
    for (const route of routes) {
      const { status } = await call(nobody, route);
      expect([route.method, route.path, status]).toEqual([route.method, route.path, 401]);
    }
  });

  it('changed nothing', async () => {
    const { rows } = await house.owner.query(
      'select client_user_id, deleted_at from app_user where team_id = $1 and environment = $2',
      [owner.tenant.teamId, 'sandbox'],
    );
    expect(rows).toEqual([{ client_user_id: 'somebody', deleted_at: null }]);
  });
});

/** The routes that answered anything but 404. */
async function answersTo(
  caller: Caller,
  scope: 'team' | 'management',
  routes = withId(scope),
): Promise<string[]> {
  const wrong: string[] = [];
  for (const route of routes) {
    const answer = await call(caller, route);
    if (answer.status !== 404)
      wrong.push(`${route.method} ${route.path}: ${answer.status} ${answer.text.slice(0, 200)}`);
  }
  expect(routes.length).toBeGreaterThan(5);
  return wrong;
}

describe('the ids of somebody else inside a body', () => {
  it('are not found either', async () => {
    const stranger = await house.team();
    const labTest = (await stranger.get('/v3/lab_tests?collection_method=testkit')).json[0].id;
    const user = theirs['user_id'] ?? '';
    const own = await stranger.user();
    // prettier-ignore
    const tries: [string, unknown][] = [
      ['/v3/order',                  order(user, labTest)],
      ['/v3/order',                  order(own, theirs['lab_test_id'] ?? '')],
      ['/v3/order/testkit',          { user_id: user, lab_test_id: labTest, shipping_details: shipping }],
      ['/v3/order/testkit/register', registration('ANY', user)],
      ['/v3/order',                  { ...order(own, labTest), recreate_from_order_id: theirs['order_id'], update_reason: 'OTHER' }],
      ['/v3/order/import',           { ...order(user, labTest), billing_type: 'client_bill', collection_method: 'testkit', order_set: { lab_test_ids: [labTest] }, sample_id: 'ANY' }],
    ];
    for (const [path, body] of tries) expect((await stranger.post(path, body)).status).toBe(404);
  });
});
