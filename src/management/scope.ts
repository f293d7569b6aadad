import type { App } from '../app.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError, found, invalidField } from '../platform/errors.ts';
import type { ManagementPrincipal } from '../platform/http/route.ts';
import type { Environment, Region, Tenant } from '../platform/tenant.ts';
import { findTeam, findTeamEver, findTeams, lockTeam, type TeamRow } from './team-store.ts';

/** 404 for an organization that is not the key's, whether it exists or not. */
export function requireOrganization(principal: ManagementPrincipal, orgId: string): void {
  if (principal.orgId !== orgId.toLowerCase()) throw new DomainError('not_found', 'Organization not found');
}

/** 403 for a Team Management Key: what is the organization's is not for it. */
export function requireOrgKey(principal: ManagementPrincipal, orgId: string): void {
  requireOrganization(principal, orgId);
  if (principal.teamIds !== null) throw new DomainError('forbidden', 'This needs an Org Management Key');
}

/** 404 for a team that is not the key's own, whether it exists or not. */
export function requireTeam(principal: ManagementPrincipal, teamId: string): void {
  const own = principal.teamIds === null || principal.teamIds.has(teamId.toLowerCase());
  if (!own) throw new DomainError('not_found', 'Team not found');
}

type TeamPath = { org_id: string; team_id: string };

/** The team that a management route names, if the key may act for it. */
export const scopedTeam = (app: App, principal: ManagementPrincipal, at: TeamPath): Promise<TeamRow> =>
  ownTeam(app, principal, { at, find: findTeam });

/** The same, also one that was deleted, to an Org Management Key: what was done with it can still be read. */
export const scopedTeamEver = (app: App, principal: ManagementPrincipal, at: TeamPath): Promise<TeamRow> =>
  ownTeam(app, principal, { at, find: findTeamEver });

async function ownTeam(
  app: App,
  principal: ManagementPrincipal,
  { at, find }: { at: TeamPath; find: typeof findTeam },
): Promise<TeamRow> {
  requireOrganization(principal, at.org_id);
  requireTeam(principal, at.team_id);
  const team = { orgId: principal.orgId, teamId: at.team_id };
  return found(await asSystem(app.db, (tx) => find(tx, team)), 'Team');
}

/** 404 for a team that was deleted meanwhile; none that is there is deleted before the transaction ends. */
export async function holdTeam(tx: Tx, teamId: string): Promise<void> {
  found(await lockTeam(tx, teamId), 'Team');
}

/** A list of the organization, or of one team of the key's own: only the latter is for a Team Management Key. */
export async function scopedList(
  app: App,
  principal: ManagementPrincipal,
  at: { org_id: string; team_id: string | null | undefined },
): Promise<TeamRow | undefined> {
  if (at.team_id) return scopedTeam(app, principal, { org_id: at.org_id, team_id: at.team_id });
  requireOrgKey(principal, at.org_id);
  return undefined;
}

/** The teams that a list is about: those that are named, else a Team Management Key's own; null is the whole organization. */
export async function listedTeams(
  app: App,
  principal: ManagementPrincipal,
  at: { org_id: string; ids: readonly string[] | undefined },
): Promise<readonly string[] | null> {
  requireOrganization(principal, at.org_id);
  if (at.ids && at.ids.length > 0) return presentTeams(app, principal, at.ids);
  return principal.teamIds && [...principal.teamIds];
}

/**
 * The teams that a change is about: those that are named, else a Team Management Key's own. 422 at `place` where there
 * are none: nobody changes a whole organization by silence.
 */
export async function namedTeams(
  app: App,
  principal: ManagementPrincipal,
  at: { org_id: string; ids: readonly string[] | null | undefined; place: (string | number)[] },
): Promise<readonly string[]> {
  requireOrganization(principal, at.org_id);
  const ids = at.ids && at.ids.length > 0 ? at.ids : [...(principal.teamIds ?? [])];
  if (ids.length === 0) throw invalidField(at.place, 'expected at least one team');
  return presentTeams(app, principal, ids);
}

/** Each once, in the order of their ids. 404 for one that is not the key's own, or not there. */
async function presentTeams(app: App, principal: ManagementPrincipal, ids: readonly string[]) {
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))].toSorted();
  for (const id of wanted) requireTeam(principal, id);
  const present = await asSystem(app.db, (tx) => findTeams(tx, principal.orgId, wanted));
  if (present.length < wanted.length) throw new DomainError('not_found', 'Team not found');
  return wanted;
}

type TenantPath = { org_id: string; team_id: string; environment: Environment };

/** The tenant that a management route names, if the key may act for it. */
export const scopedTenant =
  (app: App) =>
  async (principal: ManagementPrincipal, at: TenantPath): Promise<Tenant> => {
    const team = await scopedTeam(app, principal, at);
    return { teamId: team.id, environment: at.environment };
  };

/** The same, also of a team that was deleted, to an Org Management Key. */
export const scopedTenantEver =
  (app: App) =>
  async (principal: ManagementPrincipal, at: TenantPath): Promise<Tenant> => {
    const team = await scopedTeamEver(app, principal, at);
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
