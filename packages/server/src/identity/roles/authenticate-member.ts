import type { App } from '../../app.ts';
import { DomainError, invalidField } from '../../platform/errors.ts';
import type { AuthenticationRequest, ManagementPrincipal, TeamPrincipal } from '../../platform/http/route.ts';
import { ENVIRONMENTS, type Environment, type Tenant } from '../../platform/tenant.ts';
import { isMemberOf, missingRoleError, permittedTeams, type OperationRequest } from './authorize.ts';
import { findMemberAccess, findTenant, type MemberAccess } from './member-access.ts';
import { PERMISSIONS } from './permissions.ts';
import { permissionOf } from './role-table.ts';

/** A signed-in member. */
interface SignedInMember {
  readonly sessionId: string;
  readonly memberId: string;
  readonly authenticatedAt: Date;
}

/** The sessions of members. */
interface MemberSessions {
  /** Finds the session of a request. Undefined where there is none or it has ended; throws for a forged request. */
  readonly findSession: (
    app: App,
    request: Pick<AuthenticationRequest, 'headers' | 'method' | 'isPassive'>,
  ) => Promise<SignedInMember | undefined>;
  /** Throws a 403 unless the member authenticated recently. */
  readonly requireRecentAuthentication: (app: App, session: SignedInMember) => void;
}

/** Authenticates requests with a session instead of a key. Undefined for a request without a session. */
export interface MemberAuthenticator {
  team(asked: AuthenticationRequest): Promise<TeamPrincipal | undefined>;
  management(asked: AuthenticationRequest): Promise<ManagementPrincipal | undefined>;
}

interface Caller {
  readonly session: SignedInMember;
  readonly access: MemberAccess;
}

/** A member calls the operations that keys call, as far as the table of roles permits. */
export function createMemberAuthenticator(
  app: App,
  { findSession, requireRecentAuthentication }: MemberSessions,
): MemberAuthenticator {
  const findCaller = async (asked: AuthenticationRequest): Promise<Caller | undefined> => {
    const { headers, method, isPassive } = asked;
    const session = await findSession(app, { headers, method, isPassive });
    const access = session && (await findMemberAccess(app, session.memberId));
    if (session && access) return { session, access };
    if (headers['cookie'] === undefined) return undefined;
    throw new DomainError('unauthorized', 'You are not signed in, or your session has ended: sign in');
  };
  return {
    team: async (asked) => {
      const caller = await findCaller(asked);
      if (!caller) return undefined;
      const principal = await authorizeForTeam(app, caller, asked);
      if (needsRecentAuthentication(asked)) requireRecentAuthentication(app, caller.session);
      return principal;
    },
    management: async (asked) => {
      const caller = await findCaller(asked);
      if (!caller) return undefined;
      const principal = authorizeForManagement(caller, asked);
      if (needsRecentAuthentication(asked)) requireRecentAuthentication(app, caller.session);
      return principal;
    },
  };
}

async function authorizeForTeam(
  app: App,
  { session, access }: Caller,
  asked: AuthenticationRequest,
): Promise<TeamPrincipal> {
  const tenant = readTenantOf(app, asked);
  const request = toOperationRequest(asked, tenant.environment);
  const found = await findTenant(app, tenant);
  if (found?.org_id !== access.orgId || !isMemberOf(access, tenant.teamId)) throw teamNotFound();
  const teams = permittedTeams(access, request);
  if (teams && !teams.has(tenant.teamId)) throw missingRoleError(access, request);
  const { memberId, sessionId } = session;
  return {
    tenant,
    kind: 'member',
    keyId: memberId,
    features: new Set(found.features),
    member: { memberId, sessionId },
    mayRead: ({ operation }) => {
      const other = toOperationRequest({ operation }, tenant.environment);
      return permittedTeams(access, other)?.has(tenant.teamId) ?? true;
    },
  };
}

function authorizeForManagement(
  { session, access }: Caller,
  asked: AuthenticationRequest,
): ManagementPrincipal {
  const { org_id: orgId, team_id: teamId, environment, env } = asked.params;
  if (orgId?.toLowerCase() !== access.orgId) throw new DomainError('not_found', 'Organization not found');
  const request = toOperationRequest(asked, toEnvironment(environment ?? env ?? sandboxOf(asked.path)));
  const teamIds = permittedTeams(access, request);
  if (teamIds?.size === 0) throw missingRoleError(access, request);
  const team = teamId?.toLowerCase();
  if (team !== undefined && teamIds && !teamIds.has(team))
    throw isMemberOf(access, team) ? missingRoleError(access, request) : teamNotFound();
  const { memberId, sessionId } = session;
  const isOwner = access.roles.some(({ role }) => role === 'owner');
  return {
    keyId: memberId,
    orgId: access.orgId,
    plan: access.plan,
    teamIds,
    member: { memberId, sessionId, isOwner },
  };
}

const toOperationRequest = (
  { operation }: Pick<AuthenticationRequest, 'operation'>,
  environment: Environment | undefined,
): OperationRequest => ({ operation, permission: permissionOf(operation), environment });

/** The sandbox clock has no environment in its path parameters. */
const sandboxOf = (path: string): string | undefined => (path.includes('/sandbox/') ? 'sandbox' : undefined);

const toEnvironment = (given: string | undefined): Environment | undefined =>
  ENVIRONMENTS.find((environment) => environment === given);

const teamNotFound = () => new DomainError('not_found', 'Team not found');

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The team and environment that a session acts in: the headers x-<BRAND>-team-id and x-<BRAND>-environment. A GET may
 * name them in the query instead, for an EventSource or a download, which cannot send headers.
 */
function readTenantOf(app: App, { headers, query, method }: AuthenticationRequest): Tenant {
  const read = (name: 'team-id' | 'environment') => {
    const header = `x-${app.config.BRAND}-${name}`;
    const parameter = `session_${name.replace('-', '_')}`;
    const given = [headers[header], method === 'GET' ? query[parameter] : undefined].filter(
      (value) => value !== undefined,
    );
    const [value] = given;
    if (given.some((one) => typeof one !== 'string' || one !== value))
      throw new DomainError('bad_request', `${header} and ${parameter} must be one and the same value`);
    return { header, value: typeof value === 'string' ? value : undefined };
  };
  const team = read('team-id');
  const environment = read('environment');
  const teamId = team.value?.toLowerCase();
  if (teamId === undefined || !UUID.test(teamId))
    throw invalidField(
      ['header', team.header],
      'expected the id of one of your teams, because you use a session',
    );
  const named = toEnvironment(environment.value);
  if (named === undefined)
    throw invalidField(
      ['header', environment.header],
      'expected production or sandbox, because you use a session',
    );
  return { teamId, environment: named };
}

/** Whether the operation is dangerous, or the request is for an export of a log. */
function needsRecentAuthentication({ operation, headers }: AuthenticationRequest): boolean {
  const { recent } = PERMISSIONS[permissionOf(operation)];
  return recent === 'export' ? /ndjson/i.test(String(headers['accept'])) : recent;
}
