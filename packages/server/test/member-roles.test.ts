import { beforeAll, describe, expect, it } from 'vitest';
import { createTeam } from '../src/identity/management/management.ts';
import { createMemberAuthenticator } from '../src/identity/roles/authenticate-member.ts';
import { rolesThatMay } from '../src/identity/roles/authorize.ts';
import { ASSIGNABLE_ROLES, type Role } from '../src/identity/roles/role.ts';
import { permissionOf, requireCompleteRoleTable } from '../src/identity/roles/role-table.ts';
import { requireRecentAuthentication } from '../src/identity/accounts/accounts.ts';
import type { RouteRow } from '../src/platform/http/http.ts';
import { MINUTE } from '../src/platform/clock.ts';
import { ENVIRONMENTS, type Environment } from '../src/platform/tenant.ts';
import { inParallel, joinOrganization, signedIn } from './members.ts';
import type { ApiClient, ApiResponse, TestTeam } from './service.ts';
import { useTestService, useTestTeam } from './service-hooks.ts';

const service = useTestService();
const team = useTestTeam(service);
const stranger = useTestTeam(service);
let sister: string;
beforeAll(async () => {
  sister = (await createTeam(service.app, { orgId: team.orgId, name: 'Sister', region: 'us' })).id;
});

const NOBODY = '01900000-0000-7000-8000-000000000000';
const routes = () => service.http.routes.filter(({ scope }) => scope !== 'open');

interface CallPlace {
  readonly orgId: string;
  readonly teamId: string;
  readonly environment: Environment;
}

/** Calls a route for a team, with ids that do not exist and without a body. */
function send(caller: ApiClient, route: RouteRow, place: CallPlace): Promise<ApiResponse> {
  const known: Record<string, string> = {
    org_id: place.orgId,
    team_id: place.teamId,
    env: place.environment,
    environment: place.environment,
    region: 'us',
    provider: 'fitbit',
  };
  const url = route.path.replace(/:(\w+)/g, (_all, name: string) => known[name] ?? NOBODY);
  const headers: Record<string, string> =
    route.scope === 'team'
      ? { 'x-service-team-id': place.teamId, 'x-service-environment': place.environment }
      : {};
  if (route.method === 'GET') return caller.get(url, headers);
  if (route.method === 'DELETE') return caller.delete(url, headers);
  return caller[route.method.toLowerCase() as 'post' | 'patch' | 'put'](url, {}, headers);
}

const isMissingRole = ({ status, json }: ApiResponse) =>
  status === 403 && json.detail.code === 'role_required';

/** The environment that decides; undefined where the operation concerns both. */
function environmentOf({ scope, path }: RouteRow, environment: Environment): Environment | undefined {
  if (scope === 'team' || /:env(?:ironment)?\b/.test(path)) return environment;
  return path.includes('/sandbox/') ? 'sandbox' : undefined;
}

const mayCall = (role: Role, route: RouteRow, environment: Environment): boolean =>
  rolesThatMay({
    permission: permissionOf(route.schema.operationId),
    environment: environmentOf(route, environment),
  }).includes(role);

let people = 0;
const join = (role: Record<string, unknown>, of: TestTeam = team): Promise<string> =>
  joinOrganization(service, of, { email: `person-${(people += 1)}@example.com`, ...role });
const signIn = async (role: Record<string, unknown>, of: TestTeam = team): Promise<ApiClient> =>
  signedIn(service, await join(role, of));

const rolesOf = (role: Role | 'none', teamId: string | null = null): Record<string, unknown> => {
  if (role === 'owner') return { role: 'org_admin', is_owner: true };
  return { role: 'no_role', roles: role === 'none' ? [] : [{ role, team_id: teamId }] };
};

/** The operations whose response is not the one that the table of roles decides. */
async function findWrongAnswers(caller: ApiClient, role: Role | 'none', environment: Environment) {
  const wrong: string[] = [];
  // Deleting the team would end the test, so each caller deletes one of its own.
  const doomed = (await createTeam(service.app, { orgId: team.orgId, name: role, region: 'us' })).id;
  await inParallel(routes(), async (route) => {
    const teamId = route.schema.operationId === 'deleteTeam' ? doomed : team.tenant.teamId;
    const answer = await send(caller, route, { orgId: team.orgId, teamId, environment });
    const may = role !== 'none' && mayCall(role, route, environment);
    // Members without any role are not told which teams exist.
    const isHidden = role === 'none' && answer.status === 404;
    const isWrong = may ? [401, 403, 500].includes(answer.status) : !isMissingRole(answer) && !isHidden;
    if (isWrong) wrong.push(`${route.schema.operationId}: ${answer.status} ${answer.text}`);
  });
  return wrong;
}

describe('the table of roles', () => {
  it.each<Role | 'none'>(['owner', ...ASSIGNABLE_ROLES, 'none'])(
    'decides every operation for the role %s',
    async (role) => {
      expect(await findWrongAnswers(await signIn(rolesOf(role)), role, 'sandbox')).toEqual([]);
    },
  );

  it('decides every operation for the role administrator of the interface, of the organization and of a team', async () => {
    const organization = await signIn({ role: 'org_admin' });
    expect(await findWrongAnswers(organization, 'administrator', 'sandbox')).toEqual([]);
    const bound = await signIn({ role: 'team_admin', team_role_bindings: [{ team_id: team.tenant.teamId }] });
    const place = { orgId: team.orgId, ...team.tenant };
    const refused = routes().filter((route) => !mayCall('administrator', route, 'sandbox'));
    await inParallel(refused, async (route) =>
      expect(isMissingRole(await send(bound, route, place)), route.schema.operationId).toBe(true),
    );
    await inParallel(
      routes().filter(({ scope }) => scope === 'team'),
      async (route) => expect((await send(bound, route, place)).status, route.path).not.toBe(403),
    );
  });

  it('gives developers no patient data in production', async () => {
    const developer = await signIn(rolesOf('developer'));
    const place = { orgId: team.orgId, teamId: team.tenant.teamId, environment: 'production' as const };
    await inParallel(routes(), async (route) => {
      const answer = await send(developer, route, place);
      expect(isMissingRole(answer), route.schema.operationId).toBe(
        !mayCall('developer', route, 'production'),
      );
    });
    for (const operation of [
      'getUser',
      'listOrders',
      'getResult',
      'listEvents',
      'createTeamKey',
      'createWebhook',
    ]) {
      const route = routes().find(({ schema }) => schema.operationId === operation);
      expect(route && mayCall('developer', route, 'production'), operation).toBe(false);
    }
  });

  it('gives a role in one environment nothing in the other', async () => {
    const bindings = [{ role: 'readonly', team_id: team.tenant.teamId, environment: 'production' }];
    const reader = await signIn({ role: 'no_role', roles: bindings });
    const users = routes().filter(({ schema }) => schema.operationId === 'listUsers');
    for (const [environment, status] of [
      ['production', 200],
      ['sandbox', 403],
    ] as const) {
      for (const route of users)
        expect((await send(reader, route, { ...team, ...team.tenant, environment })).status).toBe(status);
    }
  });

  it('has no row too few or too many', () => {
    expect(() => requireCompleteRoleTable(service.http.routes)).not.toThrow();
    expect(() => requireCompleteRoleTable(service.http.routes.slice(1))).toThrow(/rows without an operation/);
    const [first] = routes();
    if (!first) throw new Error('There are no routes');
    const added = { ...first, schema: { ...first.schema, operationId: 'inventSomething' } };
    expect(() => requireCompleteRoleTable([...service.http.routes, added])).toThrow(
      /no row for: inventSomething/,
    );
  });
});

describe('a member', () => {
  it('of another organization finds no team and no organization, whatever the role', async () => {
    const foreign = await signIn(rolesOf('owner'), stranger);
    for (const environment of ENVIRONMENTS) {
      const place = { orgId: team.orgId, teamId: team.tenant.teamId, environment };
      await inParallel(routes(), async (route) =>
        expect((await send(foreign, route, place)).status, route.schema.operationId).toBe(404),
      );
    }
  });

  it('of one team finds nothing of another team of the organization', async () => {
    const bound = await signIn(rolesOf('administrator', team.tenant.teamId));
    const place = { orgId: team.orgId, teamId: sister, environment: 'sandbox' as const };
    const about = routes().filter(({ scope, path }) => scope === 'team' || path.includes(':team_id'));
    await inParallel(about, async (route) =>
      expect([403, 404], route.schema.operationId).toContain((await send(bound, route, place)).status),
    );
  });

  it('that is removed may do nothing any more', async () => {
    const id = await join(rolesOf('readonly'));
    const reader = await signedIn(service, id);
    const headers = { 'x-service-team-id': team.tenant.teamId, 'x-service-environment': 'sandbox' };
    expect((await reader.get('/v2/user', headers)).status).toBe(200);
    expect((await team.management.delete(`/v1/org/${team.orgId}/member/${id}`)).status).toBe(200);
    expect(await reader.get('/v2/user', headers)).toMatchObject({ status: 401 });
  });

  it('that loses a role loses it on every node within seconds', async () => {
    const id = await join(rolesOf('administrator'));
    const member = await signedIn(service, id);
    const path = `/v1/org/${team.orgId}/audit_log`;
    expect((await member.get(path)).status).toBe(200);
    const sessions = {
      findSession: async () => ({ memberId: id, sessionId: id, authenticatedAt: service.clock.now() }),
    };
    const other = createMemberAuthenticator({ ...service.app }, { ...sessions, requireRecentAuthentication });
    const route = { method: 'GET', path, tag: 'Management', operation: 'listAuditLog' } as const;
    const asked = { ...route, headers: {}, address: '', params: { org_id: team.orgId }, query: {} };
    expect(await other.management(asked)).toMatchObject({ keyId: id, teamIds: null });
    const change = { role: null, team_role_bindings: null, roles: [{ role: 'support' }] };
    expect((await team.management.patch(`/v1/org/${team.orgId}/member/${id}`, change)).status).toBe(200);
    expect(isMissingRole(await (await signedIn(service, id)).get(path))).toBe(true);
    await expect
      .poll(() => other.management(asked).catch(({ kind }: { kind: string }) => kind), { timeout: 30_000 })
      .toBe('forbidden');
  });

  it('names team and environment in headers, or with a GET in the query', async () => {
    const reader = await signIn(rolesOf('readonly'));
    const { teamId } = team.tenant;
    const header = { 'x-service-team-id': teamId, 'x-service-environment': 'sandbox' };
    const query = `session_team_id=${teamId}&session_environment=sandbox`;
    expect((await reader.get('/v2/user', header)).status).toBe(200);
    expect((await reader.get(`/v2/user?${query}`)).status).toBe(200);
    expect((await reader.get('/v2/user')).json.detail[0].loc).toEqual(['header', 'x-service-team-id']);
    expect((await reader.get(`/v2/user?${query}`, { 'x-service-team-id': sister })).status).toBe(400);
    const operator = await signIn(rolesOf('operations'));
    expect((await operator.post(`/v2/user?${query}`, { client_user_id: 'x' })).status).toBe(422);
  });

  it('repeats a request with an idempotency key, and is named in the access log', async () => {
    const id = await join({ ...rolesOf('operations'), name: 'Grace Hopper' });
    const operator = await signedIn(service, id);
    const headers = {
      'x-service-team-id': team.tenant.teamId,
      'x-service-environment': 'sandbox',
      'x-idempotency-key': 'once',
    };
    const first = await operator.post('/v2/user', { client_user_id: 'by-a-member' }, headers);
    const again = await operator.post('/v2/user', { client_user_id: 'by-a-member' }, headers);
    expect([again.status, again.text]).toEqual([200, first.text]);
    const log = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/access_log?key_id=${id}`;
    const entry = { kind: 'member', key_id: id, member_name: 'Grace Hopper', operation: 'createUser' };
    await expect
      .poll(async () => (await team.management.get(log)).json.data)
      .toContainEqual(expect.objectContaining(entry));
    const lines = await team.management.get(log, { accept: 'application/x-ndjson' });
    expect(JSON.parse(lines.text.split('\n')[0] ?? '')).toMatchObject(entry);
  });

  it('is named in the audit log, and needs recent authentication for what is dangerous', async () => {
    const id = await join({ ...rolesOf('administrator'), name: 'Mary Jackson' });
    const administrator = await signedIn(service, id);
    const keys = `/v1/org/${team.orgId}/team_api_keys/sandbox/us`;
    const body = { team_id: team.tenant.teamId, label: 'By a member' };
    const made = await administrator.post(keys, body);
    expect(made.status).toBe(200);
    const log = await administrator.get(
      `/v1/org/${team.orgId}/audit_log?actor=member:${id}&action=team_api_key.create`,
    );
    expect(log.json.data[0]).toMatchObject({ subject: made.json.id, actor_name: 'Mary Jackson' });
    service.clock.move(6 * MINUTE);
    const late = await administrator.post(keys, body);
    expect([late.status, late.json.detail.code]).toEqual([403, 'reauthentication_required']);
    const audit = `/v1/org/${team.orgId}/audit_log`;
    expect((await administrator.get(audit)).status).toBe(200);
    expect((await administrator.get(audit, { accept: 'application/x-ndjson' })).status).toBe(403);
  });
});

describe('owners', () => {
  const change = { role: null, team_role_bindings: null };
  const memberPath = (id: string) => `/v1/org/${team.orgId}/member/${id}`;

  it('are appointed, changed and removed by owners only', async () => {
    const [owner, other] = [await join(rolesOf('owner')), await join({ role: 'org_admin' })];
    const administrator = await signedIn(service, other);
    expect((await administrator.patch(memberPath(other), { ...change, is_owner: true })).status).toBe(403);
    expect((await administrator.patch(memberPath(owner), { ...change, is_owner: false })).status).toBe(403);
    expect((await administrator.delete(memberPath(owner))).status).toBe(403);
    const invite = { email: 'next@example.com', role: 'org_admin', is_owner: true };
    expect((await administrator.post(`/v1/org/${team.orgId}/invite`, invite)).status).toBe(403);
    const appointed = await (
      await signedIn(service, owner)
    ).patch(memberPath(other), { ...change, is_owner: true });
    expect(appointed.status).toBe(200);
    const { members } = (await team.management.get(`/v1/org/${team.orgId}/member`)).json;
    expect(members.find((one: { id: string }) => one.id === other)).toMatchObject({
      is_owner: true,
      roles: [],
    });
  });

  it('begin with the first administrator, and the last one stays', async () => {
    const fresh = await service.team();
    const id = await join({ role: 'org_admin' }, fresh);
    const first = await signedIn(service, id);
    const path = `/v1/org/${fresh.orgId}/member/${id}`;
    await join({ role: 'org_admin' }, fresh);
    const { status, json } = await first.patch(path, { ...change, is_owner: false });
    expect([status, json.detail]).toEqual([409, expect.stringContaining('last owner')]);
  });

  it('have the role org_admin', async () => {
    const id = await join(rolesOf('none'));
    expect((await team.management.patch(memberPath(id), { ...change, is_owner: true })).status).toBe(400);
  });

  it('cannot be given a role in a team of another organization', async () => {
    const roles = [{ role: 'readonly', team_id: stranger.tenant.teamId }];
    const invite = { email: 'far@example.com', role: 'no_role', roles };
    expect((await team.management.post(`/v1/org/${team.orgId}/invite`, invite)).status).toBe(404);
  });
});
