import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccessToken } from '../src/identity/management/access-tokens.ts';
import { areaOfTag } from '../src/identity/management/api-areas.ts';
import { createManagementKey, createTeam, createTeamKey } from '../src/identity/management/management.ts';
import { HOUR, later } from '../src/platform/clock.ts';
import { asSystem } from '../src/platform/db/transact.ts';
import type { RouteRow } from '../src/platform/http/http.ts';
import {
  authorizationPage,
  decidedForManagement,
  decidedForTeam,
  MANAGEMENT_WRONGS,
  TEAM_WRONGS,
  type ManagementWrong,
  type Outcome,
  type TeamWrong,
} from '../../../tools/drift/authorization-page.ts';
import type { TestTeam } from './service.ts';
import { useTestService } from './service-hooks.ts';
import { openRouteSamples, type RouteSamples } from './route-samples.ts';

let samples: RouteSamples;
let owner: TestTeam;
let stranger: TestTeam;

const service = useTestService();
beforeAll(async () => {
  samples = await openRouteSamples(service);
  owner = samples.owner;
  stranger = await service.team();
});

const routesOf = (scope: RouteRow['scope']) => service.http.routes.filter((route) => route.scope === scope);

let calls = 0;

/** Requests a resource of the owner, each time from another address, so that no rate limit applies. */
async function sendCall(route: RouteRow, headers: Record<string, string>) {
  const { method, url, body } = samples.callOf(route);
  calls += 1;
  const answer = await service.http.server.inject({
    method,
    url,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    remoteAddress: `10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`,
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  return { status: answer.statusCode, text: answer.body };
}

interface CredentialTrial {
  readonly headersFor: (route: RouteRow) => Record<string, string>;
  readonly decided: (route: RouteRow) => Outcome;
  /** Must not occur in a response about the caller's own resources. */
  readonly secrets: readonly string[];
}

/** The routes whose response to a wrong credential differs from the decision. */
async function findUnexpectedAnswers(
  routes: readonly RouteRow[],
  { headersFor, decided, secrets }: CredentialTrial,
) {
  expect(routes.length).toBeGreaterThan(50);
  const found: string[] = [];
  for (const route of routes) {
    const outcome = decided(route);
    if (outcome === 'may' || (outcome === 'own' && route.scope === 'team')) continue;
    const { status, text } = await sendCall(route, headersFor(route));
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
  (await createTeamKey(service.app, { tenant: owner.tenant, label: 'wrong', ...more })).value;

const bearer = (token: string) => () => ({ authorization: `Bearer ${token}` });

/** A token that was issued `agoMs` milliseconds ago. */
const tokenOf = async (team: TestTeam, agoMs = 0) => {
  const at = later(service.clock.now(), -agoMs);
  const { id } = (await team.management.get(`/v1/org/${team.orgId}/management_key`)).json.data[0];
  const made = { tenant: team.tenant, issuer: { managementKeyId: id }, times: { systemNow: at, now: at } };
  const { access_token: token } = await asSystem(service.app.db, (tx) =>
    createAccessToken(service.app, tx, made),
  );
  return bearer(token);
};

const openBreakGlass = async (team: TestTeam) => {
  const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/break_glass`;
  const { id, access_token: token } = (await team.management.post(path, { reason: 'to be refused' })).json;
  return { path: `${path}/${id}`, token };
};

const ALL_FEATURES = `update team_environment as here set features = other.features from team_environment as other
  where other.team_id = here.team_id and other.environment = 'sandbox' and here.team_id = $1`;

describe('the team API', () => {
  /** The headers for each wrong credential. */
  const wrongs: Record<TeamWrong, () => Promise<(route: RouteRow) => Record<string, string>>> = {
    none: async () => () => ({}),
    garbage: async () => () => ({ 'x-service-api-key': `sk_us_${'0'.repeat(43)}` }),
    management: async () => () => ({ 'x-service-api-key': owner.managementKey }),
    expired: async () => {
      const key = await teamKey({ expiresAt: service.clock.now() });
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
      // Turn on every feature, so that only the environment can decide.
      await service.ownerPool.query(ALL_FEATURES, [owner.tenant.teamId]);
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
      return ({ schema }) => ({ 'x-service-api-key': areaOfTag(schema.tag) === 'users' ? wearables : users });
    },
    expiredToken: () => tokenOf(owner, HOUR),
    otherTeamToken: () => tokenOf(stranger),
    breakGlass: async () => bearer((await openBreakGlass(owner)).token),
    endedBreakGlass: async () => {
      const { path, token } = await openBreakGlass(owner);
      expect((await owner.management.delete(path)).status).toBe(200);
      return bearer(token);
    },
    otherTeamBreakGlass: async () => bearer((await openBreakGlass(stranger)).token),
  };

  it.each(Object.entries(TEAM_WRONGS))('rejects %s: %s', async (name) => {
    const wrong = name as TeamWrong;
    const headersFor = await wrongs[wrong]();
    const decided = (route: RouteRow) => decidedForTeam(route)[wrong];
    expect(await findUnexpectedAnswers(routesOf('team'), { headersFor, decided, secrets: [] })).toEqual([]);
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
      const expiresAt = service.clock.now();
      const key = { orgId: owner.orgId, label: 'wrong', role: 'org_admin' as const, expiresAt };
      return { 'x-management-key': (await createManagementKey(service.app, key)).key };
    },
    lowerPlan: async () => {
      const poor = await service.team();
      await service.ownerPool.query("update organization set plan = 'launch' where id = $1", [poor.orgId]);
      return { 'x-management-key': poor.managementKey };
    },
    otherOrganization: async () => ({ 'x-management-key': stranger.managementKey }),
    otherTeam: async () => {
      const { orgId } = owner;
      const sister = await createTeam(service.app, { orgId, name: 'Sister', region: 'us' });
      const role = 'team_admin' as const;
      const key = { orgId, label: 'wrong', role, teamIds: [sister.id] };
      return { 'x-management-key': (await createManagementKey(service.app, key)).key };
    },
  };

  it.each(Object.entries(MANAGEMENT_WRONGS))('rejects %s: %s', async (name) => {
    const wrong = name as ManagementWrong;
    const headers = await wrongs[wrong]();
    const decided = (route: RouteRow) => decidedForManagement(route)[wrong];
    const tried = { headersFor: () => headers, decided, secrets: [owner.tenant.teamId] };
    expect(await findUnexpectedAnswers(routesOf('management'), tried)).toEqual([]);
  });
});

describe('rejected requests', () => {
  it('change nothing', async () => {
    const { rows } = await service.ownerPool.query(
      'select client_user_id, deleted_at from app_user where team_id = $1 and id = $2',
      [owner.tenant.teamId, samples.theirs['user_id']],
    );
    expect(rows).toEqual([{ client_user_id: 'somebody', deleted_at: null }]);
    expect((await owner.get('/v2/user')).status).toBe(200);
    expect((await owner.management.get(`/v1/org/${owner.orgId}`)).json.name).toBe('Test organization');
  });
});

describe('docs/reference/authorization.md', () => {
  it('matches the decisions', async () => {
    const page = await readFile(new URL('../../../docs/reference/authorization.md', import.meta.url), 'utf8');
    const isCurrent = page === authorizationPage(service.http.routes);
    expect(isCurrent, 'docs/reference/authorization.md differs from the routes; run `npm run generate`').toBe(
      true,
    );
  });
});
