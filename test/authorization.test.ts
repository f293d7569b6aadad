import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessToken } from '../src/management/access-tokens.ts';
import { areaOf } from '../src/management/areas.ts';
import { createManagementKey, createTeam, createTeamKey } from '../src/management/management.ts';
import { HOUR, later } from '../src/platform/clock.ts';
import type { RouteRow } from '../src/platform/http/http.ts';
import { newId } from '../src/platform/ids.ts';
import {
  authorizationPage,
  decidedForManagement,
  decidedForTeam,
  MANAGEMENT_WRONGS,
  TEAM_WRONGS,
  type ManagementWrong,
  type Outcome,
  type TeamWrong,
} from '../tools/drift/authorization-page.ts';
import { openHouse, type House, type TeamInHand } from './house.ts';
import { openRouteSamples, type RouteSamples } from './route-samples.ts';

let house: House;
let samples: RouteSamples;
let owner: TeamInHand;
let stranger: TeamInHand;

beforeAll(async () => {
  house = await openHouse();
  samples = await openRouteSamples(house);
  owner = samples.owner;
  stranger = await house.team();
});
afterAll(() => house.close());

const routesOf = (scope: RouteRow['scope']) => house.http.routes.filter((route) => route.scope === scope);

let calls = 0;

/** Asks for something of the owner's, each time from another address: nobody is told to wait. */
async function ask(route: RouteRow, headers: Record<string, string>) {
  const { method, url, body } = samples.callOf(route);
  calls += 1;
  const answer = await house.http.server.inject({
    method,
    url,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    remoteAddress: `10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`,
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  return { status: answer.statusCode, text: answer.body };
}

interface Tried {
  readonly headersFor: (route: RouteRow) => Record<string, string>;
  readonly decided: (route: RouteRow) => Outcome;
  /** What must not stand in an answer about what is the caller's own. */
  readonly secrets: readonly string[];
}

/** The routes that answer a wrong credential otherwise than was decided. */
async function surprises(routes: readonly RouteRow[], { headersFor, decided, secrets }: Tried) {
  expect(routes.length).toBeGreaterThan(50);
  const found: string[] = [];
  for (const route of routes) {
    const outcome = decided(route);
    if (outcome === 'may' || (outcome === 'own' && route.scope === 'team')) continue;
    const { status, text } = await ask(route, headersFor(route));
    const isFine =
      outcome === 'own'
        ? status === 200 && !secrets.some((secret) => text.includes(secret))
        : status === outcome;
    if (!isFine)
      found.push(`${route.method} ${route.path}: ${status}, not ${outcome}: ${text.slice(0, 200)}`);
  }
  return found;
}

const teamKey = async (more: object = {}) =>
  (await createTeamKey(house.app, { tenant: owner.tenant, label: 'wrong', ...more })).value;

const bearer = (token: string) => () => ({ authorization: `Bearer ${token}` });

/** A token that was made some time ago. */
const tokenOf = async (team: TeamInHand, agoMs = 0) => {
  const made = { id: newId(), now: later(house.clock.now(), -agoMs) };
  return bearer((await accessToken(house.app, team.tenant, made)).access_token);
};

const opened = async (team: TeamInHand) => {
  const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/break_glass`;
  const { id, access_token: token } = (await team.management.post(path, { reason: 'to be refused' })).json;
  return { path: `${path}/${id}`, token };
};

const ALL_FEATURES = `update team_environment as here set features = other.features from team_environment as other
  where other.team_id = here.team_id and other.environment = 'sandbox' and here.team_id = $1`;

describe('the team API', () => {
  /** The headers that go with each wrong credential. */
  const wrongs: Record<TeamWrong, () => Promise<(route: RouteRow) => Record<string, string>>> = {
    none: async () => () => ({}),
    garbage: async () => () => ({ 'x-service-api-key': `sk_us_${'0'.repeat(43)}` }),
    management: async () => () => ({ 'x-service-api-key': owner.managementKey }),
    expired: async () => {
      const key = await teamKey({ expiresAt: house.clock.now() });
      return () => ({ 'x-service-api-key': key });
    },
    revoked: async () => {
      const value = await teamKey();
      const path = `/v1/org/${owner.orgId}/team_api_keys/sandbox/us`;
      const listed = (await owner.management.get(path)).json.api_keys;
      const { id } = listed.find((key: { value: string }) => value.startsWith(key.value.replaceAll('*', '')));
      expect((await owner.management.delete(`${path}?api_key_id=${id}`)).json.success).toEqual([id]);
      return () => ({ 'x-service-api-key': value });
    },
    otherTeam: async () => () => ({ 'x-service-api-key': stranger.key }),
    otherEnvironment: async () => {
      // With every feature on, so that it is the environment that decides.
      await house.owner.query(ALL_FEATURES, [owner.tenant.teamId]);
      const key = await teamKey({ tenant: { ...owner.tenant, environment: 'production' } });
      return () => ({ 'x-service-api-key': key });
    },
    readOnly: async () => {
      const key = await teamKey({ readOnly: true });
      return () => ({ 'x-service-api-key': key });
    },
    otherArea: async () => {
      const [users, wearables] = [
        await teamKey({ areas: ['users'] }),
        await teamKey({ areas: ['wearables'] }),
      ];
      return ({ schema }) => ({ 'x-service-api-key': areaOf(schema.tag) === 'users' ? wearables : users });
    },
    expiredToken: () => tokenOf(owner, HOUR),
    otherTeamToken: () => tokenOf(stranger),
    breakGlass: async () => bearer((await opened(owner)).token),
    endedBreakGlass: async () => {
      const { path, token } = await opened(owner);
      expect((await owner.management.delete(path)).status).toBe(200);
      return bearer(token);
    },
    otherTeamBreakGlass: async () => bearer((await opened(stranger)).token),
  };

  it.each(Object.entries(TEAM_WRONGS))('is closed to %s: %s', async (name) => {
    const wrong = name as TeamWrong;
    const headersFor = await wrongs[wrong]();
    const decided = (route: RouteRow) => decidedForTeam(route)[wrong];
    expect(await surprises(routesOf('team'), { headersFor, decided, secrets: [] })).toEqual([]);
  });
});

describe('the Management API', () => {
  const wrongs: Record<ManagementWrong, () => Promise<Record<string, string>>> = {
    none: async () => ({}),
    garbage: async () => ({ 'x-management-key': `mg_${'0'.repeat(43)}` }),
    teamKey: async () => ({ 'x-management-key': owner.key }),
    revoked: async () => {
      const path = `/v1/org/${owner.orgId}/management_key`;
      const made = (await owner.management.post(path, { label: 'wrong', role: 'org_admin' })).json;
      expect((await owner.management.delete(`${path}/${made.id}`)).status).toBe(200);
      return { 'x-management-key': made.key };
    },
    expired: async () => {
      const expiresAt = house.clock.now();
      const key = { orgId: owner.orgId, label: 'wrong', role: 'org_admin' as const, expiresAt };
      return { 'x-management-key': (await createManagementKey(house.app, key)).key };
    },
    lowerPlan: async () => {
      const poor = await house.team();
      await house.owner.query("update organization set plan = 'launch' where id = $1", [poor.orgId]);
      return { 'x-management-key': poor.managementKey };
    },
    otherOrganization: async () => ({ 'x-management-key': stranger.managementKey }),
    otherTeam: async () => {
      const { orgId } = owner;
      const sister = await createTeam(house.app, { orgId, name: 'Sister', region: 'us' });
      const role = 'team_admin' as const;
      const key = { orgId, label: 'wrong', role, teamIds: [sister.id] };
      return { 'x-management-key': (await createManagementKey(house.app, key)).key };
    },
  };

  it.each(Object.entries(MANAGEMENT_WRONGS))('is closed to %s: %s', async (name) => {
    const wrong = name as ManagementWrong;
    const headers = await wrongs[wrong]();
    const decided = (route: RouteRow) => decidedForManagement(route)[wrong];
    const tried = { headersFor: () => headers, decided, secrets: [owner.tenant.teamId] };
    expect(await surprises(routesOf('management'), tried)).toEqual([]);
  });
});

describe('what was refused', () => {
  it('changed nothing', async () => {
    const { rows } = await house.owner.query(
      'select client_user_id, deleted_at from app_user where team_id = $1 and id = $2',
      [owner.tenant.teamId, samples.theirs['user_id']],
    );
    expect(rows).toEqual([{ client_user_id: 'somebody', deleted_at: null }]);
    expect((await owner.get('/v2/user')).status).toBe(200);
    expect((await owner.management.get(`/v1/org/${owner.orgId}`)).json.name).toBe('Test organization');
  });
});

describe('docs/authorization.md', () => {
  it('says what was decided', async () => {
    const page = await readFile(new URL('../docs/authorization.md', import.meta.url), 'utf8');
    const isCurrent = page === authorizationPage(house.http.routes);
    expect(isCurrent, 'docs/authorization.md differs from the routes; run `npm run generate`').toBe(true);
  });
});
