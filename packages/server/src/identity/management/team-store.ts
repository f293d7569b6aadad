import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Region, Tenant } from '../../platform/tenant.ts';
import './table.ts';

export type TeamRow = Selectable<Database['team']>;
export type TeamEnvironmentRow = Pick<
  Selectable<Database['team_environment']>,
  'environment' | 'settings' | 'features' | 'clock_offset_ms' | 'redirect_schemes_due'
>;

/** Undefined where a team with this id already exists, even one that was inserted concurrently. */
export const insertTeam = (tx: Tx, row: Insertable<Database['team']>): Promise<TeamRow | undefined> =>
  tx
    .insertInto('team')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

/** Whether the organization has or had the team. */
export const isTeamOf = async (
  tx: Tx,
  { orgId, teamId }: { orgId: string; teamId: string },
): Promise<boolean> =>
  (await tx
    .selectFrom('team')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', teamId)
    .executeTakeFirst()) !== undefined;

export async function insertEnvironment(
  tx: Tx,
  tenant: Tenant,
  row: { settings: string; features: string[]; created_at: Date },
): Promise<void> {
  await tx
    .insertInto('team_environment')
    .values({ ...tenantColumns(tenant), ...row })
    .execute();
}

/** The teams of the organization that are not deleted. */
const activeTeams = (tx: Tx, orgId: string) =>
  tx.selectFrom('team').selectAll().where('org_id', '=', orgId).where('deleted_at', 'is', null);

export const findTeam = (
  tx: Tx,
  { orgId, teamId }: { orgId: string; teamId: string },
): Promise<TeamRow | undefined> => activeTeams(tx, orgId).where('id', '=', teamId).executeTakeFirst();

/** The same including deleted teams. */
export const findTeamWithDeleted = (
  tx: Tx,
  { orgId, teamId }: { orgId: string; teamId: string },
): Promise<TeamRow | undefined> =>
  tx.selectFrom('team').selectAll().where('org_id', '=', orgId).where('id', '=', teamId).executeTakeFirst();

export const findTeamByIntegrationId = (
  tx: Tx,
  { orgId, integrationTeamId }: { orgId: string; integrationTeamId: string },
): Promise<TeamRow | undefined> =>
  activeTeams(tx, orgId).where('integration_team_id', '=', integrationTeamId).executeTakeFirst();

/** The teams among the ids that belong to the organization and are not deleted. */
export const findTeams = (tx: Tx, orgId: string, ids: readonly string[]): Promise<TeamRow[]> =>
  activeTeams(tx, orgId)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute();

/** The number of ids that are teams of the organization and not deleted. */
export const countTeams = async (tx: Tx, orgId: string, ids: readonly string[]): Promise<number> =>
  (await findTeams(tx, orgId, ids)).length;

interface TeamPage {
  readonly orgId: string;
  readonly regions: readonly Region[] | undefined;
  readonly search: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

export function listTeams(tx: Tx, page: TeamPage): Promise<TeamRow[]> {
  let query = activeTeams(tx, page.orgId);
  if (page.regions) query = query.where('region', '=', sql<Region>`any(${[...page.regions]}::text[])`);
  if (page.after !== undefined) query = query.where('id', '>', page.after);
  if (page.search !== undefined) {
    const pattern = `%${page.search.replaceAll(/[\\%_]/g, '\\$&')}%`;
    query = query.where((row) =>
      row.or([row('name', 'ilike', pattern), row('integration_team_id', 'ilike', pattern)]),
    );
  }
  return query.orderBy('id').limit(page.limit).execute();
}

export const updateTeam = (tx: Tx, id: string, change: Updateable<Database['team']>): Promise<TeamRow> =>
  tx.updateTable('team').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** Soft-deletes the team and all its keys, and frees the integration_team_id. */
export async function markTeamDeleted(tx: Tx, id: string, at: Date): Promise<void> {
  await updateTeam(tx, id, { deleted_at: at, integration_team_id: null });
  await tx
    .updateTable('api_key')
    .set({ deleted_at: at })
    .where('team_id', '=', id)
    .where('deleted_at', 'is', null)
    .execute();
}

export const listEnvironments = (tx: Tx, teamId: string): Promise<TeamEnvironmentRow[]> =>
  tx
    .selectFrom('team_environment')
    .select(['environment', 'settings', 'features', 'clock_offset_ms', 'redirect_schemes_due'])
    .where('team_id', '=', teamId)
    .execute();

export const getEnvironment = (tx: Tx, tenant: Tenant): Promise<TeamEnvironmentRow> =>
  tx
    .selectFrom('team_environment')
    .select(['environment', 'settings', 'features', 'clock_offset_ms', 'redirect_schemes_due'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .executeTakeFirstOrThrow();

export async function updateEnvironment(
  tx: Tx,
  tenant: Tenant,
  change: { settings: string; features: string[]; redirect_schemes_due: boolean },
): Promise<void> {
  await tx
    .updateTable('team_environment')
    .set(change)
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .execute();
}

/** Registers the schemes that earlier versions accepted, unless that was done or the team set its own. */
export async function registerRedirectSchemes(
  tx: Tx,
  tenant: Tenant,
  schemes: readonly string[],
): Promise<void> {
  const set = JSON.stringify({ allowed_redirect_schemes: schemes });
  await tx
    .updateTable('team_environment')
    .set({ settings: sql`settings || ${set}::jsonb`, redirect_schemes_due: false })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('redirect_schemes_due', '=', true)
    .execute();
}

/** Locks a team against deletion until the transaction ends; undefined for a deleted team. */
export const shareLockTeam = (tx: Tx, id: string): Promise<{ id: string } | undefined> =>
  tx
    .selectFrom('team')
    .select('id')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forShare()
    .executeTakeFirst();

/** A team that must exist. */
export const getTeam = (tx: Tx, id: string): Promise<TeamRow> =>
  tx.selectFrom('team').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
