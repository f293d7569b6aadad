import { createManagementKey, createTeam, createTeamKey } from '../../src/identity/management/management.ts';
import type { RouteSamples } from '../route-samples.ts';
import type { TestService, TestTeam } from '../service.ts';

type RequestHeaders = Readonly<Record<string, string>>;

/** Valid credentials of others, by kind: all of them are known to the service, and none may reach the attacked team. */
export interface ForeignCredentials {
  readonly team: Readonly<Record<string, RequestHeaders>>;
  readonly management: Readonly<Record<string, RequestHeaders>>;
}

export async function createForeignCredentials(
  service: TestService,
  { owner }: RouteSamples,
): Promise<ForeignCredentials> {
  const { app } = service;
  const stranger = await service.team();
  const sister = await createTeam(app, { orgId: owner.orgId, name: 'Sister', region: 'us' });
  const sisterTenant = { teamId: sister.id, environment: 'sandbox' as const };
  const tokenPath = `/v1/org/${stranger.orgId}/team/${stranger.tenant.teamId}/create_api_access_token`;
  const token = (await stranger.management.post(tokenPath, { env: 'sandbox' })).json;
  const user = await stranger.post(`/v2/user/${await stranger.user()}/sign_in_token`, {});
  const key = async (tenant: TestTeam['tenant']) =>
    ({ 'x-service-api-key': (await createTeamKey(app, { tenant, label: 'foreign' })).value }) as const;
  const teamAdmin = {
    orgId: owner.orgId,
    label: 'foreign',
    role: 'team_admin',
    teamIds: [sister.id],
  } as const;
  return {
    team: {
      'key of another organization': { 'x-service-api-key': stranger.key },
      'key of another team': await key(sisterTenant),
      'key of the other environment': await key({ ...owner.tenant, environment: 'production' }),
      'access token of another organization': { authorization: `Bearer ${token.access_token}` },
      'break-glass token of another organization': {
        authorization: `Bearer ${await openBreakGlass(stranger)}`,
      },
      'token of a user of another organization': { authorization: `Bearer ${user.json.sign_in_token}` },
      'management key of the organization': { 'x-management-key': owner.managementKey },
    },
    management: {
      'key of another organization': { 'x-management-key': stranger.managementKey },
      'key of another team': { 'x-management-key': (await createManagementKey(app, teamAdmin)).key },
      'team key of the team': { 'x-service-api-key': owner.key },
      'access token of another organization': { authorization: `Bearer ${token.access_token}` },
    },
  };
}

async function openBreakGlass(team: TestTeam): Promise<string> {
  const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/break_glass`;
  return (await team.management.post(path, { reason: 'for the attack' })).json.access_token;
}
