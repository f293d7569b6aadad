import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound, invalidField } from '../../platform/errors.ts';
import type { ManagementPrincipal } from '../../platform/http/route.ts';
import type { Environment, Region, Tenant } from '../../platform/tenant.ts';
import { findTeam, findTeamWithDeleted, findTeams, shareLockTeam, type TeamRow } from './team-store.ts';

/** 404 for any organization but the key's own, whether it exists or not. */
export function requireOrganization(principal: ManagementPrincipal, orgId: string): void {
  if (principal.orgId !== orgId.toLowerCase()) throw new DomainError('not_found', 'Organization not found');
}

/** 403 for a Team Management Key, and for a member without a sufficient role in the whole organization. */
export function requireOrgKey(principal: ManagementPrincipal, orgId: string): void {
  requireOrganization(principal, orgId);
  if (principal.teamIds === null) return;
  throw new DomainError(
    'forbidden',
    principal.member
      ? 'This operation requires a role in the whole organization; yours are bound to teams'
      : 'This operation requires an Org Management Key',
  );
}

/** 404 for a team outside the scope of the key, whether it exists or not. */
export function requireTeam(principal: ManagementPrincipal, teamId: string): void {
  const own = principal.teamIds === null || principal.teamIds.has(teamId.toLowerCase());
  if (!own) throw new DomainError('not_found', 'Team not found');
}

type ScopedTeamPath = { org_id: string; team_id: string };

/** The team in the path of a management route, if the key may act for it; else 404. */
export const authorizeTeam = (
  app: App,
  principal: ManagementPrincipal,
  at: ScopedTeamPath,
): Promise<TeamRow> => findAuthorizedTeam(app, principal, { at, find: findTeam });

/** The same including deleted teams, for Org Management Keys, because their logs can still be read. */
export const authorizeTeamWithDeleted = (
  app: App,
  principal: ManagementPrincipal,
  at: ScopedTeamPath,
): Promise<TeamRow> => findAuthorizedTeam(app, principal, { at, find: findTeamWithDeleted });

async function findAuthorizedTeam(
  app: App,
  principal: ManagementPrincipal,
  { at, find }: { at: ScopedTeamPath; find: typeof findTeam },
): Promise<TeamRow> {
  requireOrganization(principal, at.org_id);
  requireTeam(principal, at.team_id);
  const team = { orgId: principal.orgId, teamId: at.team_id };
  return requireFound(await asSystem(app.db, (tx) => find(tx, team)), 'Team');
}

/** Prevents the deletion of the team until the transaction ends. 404 for a deleted team. */
export async function lockExistingTeam(tx: Tx, teamId: string): Promise<void> {
  requireFound(await shareLockTeam(tx, teamId), 'Team');
}

/** The team of a list, or undefined for the whole organization, which is for Org Management Keys only. */
export async function authorizeList(
  app: App,
  principal: ManagementPrincipal,
  at: { org_id: string; team_id: string | null | undefined },
): Promise<TeamRow | undefined> {
  if (at.team_id) return authorizeTeam(app, principal, { org_id: at.org_id, team_id: at.team_id });
  requireOrgKey(principal, at.org_id);
  return undefined;
}

/** The teams of a list: the given ones, else those of a Team Management Key; null is the whole organization. */
export async function resolveListedTeams(
  app: App,
  principal: ManagementPrincipal,
  at: { org_id: string; ids: readonly string[] | undefined },
): Promise<readonly string[] | null> {
  requireOrganization(principal, at.org_id);
  if (at.ids && at.ids.length > 0) return requireTeams(app, principal, at.ids);
  return principal.teamIds && [...principal.teamIds];
}

/**
 * The teams of a change: the given ones, else those of a Team Management Key. 422 at `place` where there are none, so
 * that an omitted field never changes a whole organization.
 */
export async function resolveNamedTeams(
  app: App,
  principal: ManagementPrincipal,
  at: { org_id: string; ids: readonly string[] | null | undefined; place: (string | number)[] },
): Promise<readonly string[]> {
  requireOrganization(principal, at.org_id);
  const ids = at.ids && at.ids.length > 0 ? at.ids : [...(principal.teamIds ?? [])];
  if (ids.length === 0) throw invalidField(at.place, 'expected at least one team id');
  return requireTeams(app, principal, ids);
}

/** The distinct ids, sorted. 404 for a team that does not exist or is outside the scope of the key. */
async function requireTeams(app: App, principal: ManagementPrincipal, ids: readonly string[]) {
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))].toSorted();
  for (const id of wanted) requireTeam(principal, id);
  const present = await asSystem(app.db, (tx) => findTeams(tx, principal.orgId, wanted));
  if (present.length < wanted.length) throw new DomainError('not_found', 'Team not found');
  return wanted;
}

type ScopedTenantPath = { org_id: string; team_id: string; environment: Environment };

/** Resolves the tenant in the path of a management route, if the key may act for it; else 404. */
export const createTenantAuthorizer =
  (app: App) =>
  async (principal: ManagementPrincipal, at: ScopedTenantPath): Promise<Tenant> => {
    const team = await authorizeTeam(app, principal, at);
    return { teamId: team.id, environment: at.environment };
  };

/** The same including deleted teams, for Org Management Keys. */
export const createTenantAuthorizerWithDeleted =
  (app: App) =>
  async (principal: ManagementPrincipal, at: ScopedTenantPath): Promise<Tenant> => {
    const team = await authorizeTeamWithDeleted(app, principal, at);
    return { teamId: team.id, environment: at.environment };
  };

/** One deployment serves one region. */
export function requireRegion(app: App, region: Region): void {
  if (region === app.config.REGION) return;
  throw new DomainError(
    'bad_request',
    `This deployment serves the region ${app.config.REGION}, not ${region}`,
  );
}
