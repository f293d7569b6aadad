import { beforeAll, describe, expect, it } from 'vitest';
import type { RouteRow } from '../src/platform/http/http.ts';
import { order, registration, shipping } from './examples.ts';
import { findLabTestId } from './orders.ts';
import type { ApiClient, TestTeam } from './service.ts';
import { useTestService } from './service-hooks.ts';
import { openRouteSamples, parametersOf, type RouteSamples } from './route-samples.ts';

let samples: RouteSamples;
let owner: TestTeam;
let theirs: RouteSamples['theirs'];
let usersBefore: unknown[];

const usersOfOwner = async (): Promise<unknown[]> =>
  (
    await service.ownerPool.query(
      `select client_user_id, deleted_at from app_user where team_id = $1 and environment = 'sandbox' order by id`,
      [owner.tenant.teamId],
    )
  ).rows;

const service = useTestService();
beforeAll(async () => {
  samples = await openRouteSamples(service);
  ({ owner, theirs } = samples);
  usersBefore = await usersOfOwner();
});

const call = (caller: ApiClient, route: RouteRow) => {
  const { method, url, body } = samples.callOf(route);
  if (method === 'GET') return caller.get(url);
  if (method === 'DELETE') return caller.delete(url);
  return caller[method.toLowerCase() as 'post' | 'patch' | 'put'](url, body);
};

/** The catalog of laboratories is shared by all teams. */
const PUBLIC = new Set(['/v3/lab_tests/:lab_id/markers/:provider_id']);
const withId = (scope: 'team' | 'management') =>
  service.http.routes.filter(
    (route) => route.scope === scope && parametersOf(route).length > 0 && !PUBLIC.has(route.path),
  );

const ALL_FEATURES = `update team_environment as here set features = other.features from team_environment as other
  where other.team_id = here.team_id and other.environment = 'sandbox' and here.team_id = $1`;

describe('a foreign caller', () => {
  it('of another team gets 404 from every route with an id', async () => {
    const stranger = await service.team();
    expect(await answersTo(stranger, 'team')).toEqual([]);
  });

  it('of the other environment of the same team gets 404 too', async () => {
    const { createTeamKey } = await import('../src/identity/management/management.ts');
    const tenant = { teamId: owner.tenant.teamId, environment: 'production' as const };
    // Turn on every feature, so that only the environment can decide.
    await service.ownerPool.query(ALL_FEATURES, [tenant.teamId]);
    const { value } = await createTeamKey(service.app, { tenant, label: 'production' });
    const caller = service.client({ 'x-service-api-key': value });
    const routes = withId('team').filter(
      ({ path }) => path !== '/v2/team/:team_id' && !path.endsWith('/physicians'),
    );
    expect(await answersTo(caller, 'team', routes)).toEqual([]);
  });

  it('of another organization gets 404 from every management route', async () => {
    const stranger = await service.team();
    expect(await answersTo(stranger.management, 'management')).toEqual([]);
  });

  it('without a key gets 401 from every route', async () => {
    const nobody = service.client({});
    const routes = service.http.routes.filter(({ scope }) => scope !== 'open');
    for (const route of routes) {
      const { status } = await call(nobody, route);
      expect([route.method, route.path, status]).toEqual([route.method, route.path, 401]);
    }
  });

  it('changes nothing', async () => {
    expect(await usersOfOwner()).toEqual(usersBefore);
    expect(usersBefore).toContainEqual({ client_user_id: 'somebody', deleted_at: null });
  });
});

/** The routes with a response other than 404. */
async function answersTo(
  caller: ApiClient,
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

describe('foreign ids in a request body', () => {
  it('are not found', async () => {
    const stranger = await service.team();
    const labTest = await findLabTestId(stranger, 'testkit');
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
