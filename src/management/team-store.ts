import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import { tenantColumns } from '../platform/db/tenant-rows.ts';
import type { Region, Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import './table.ts';

export type TeamRow = Selectable<Database['team']>;
export type EnvironmentRow = Pick<
  Selectable<Database['team_environment']>,
  'environment' | 'settings' | 'features' | 'clock_offset_ms'
>;

/** `undefined`: the id belongs to a team already, perhaps since a moment ago. */
export const insertTeam = (tx: Tx, row: Insertable<Database['team']>): Promise<TeamRow | undefined> =>
  tx
    .insertInto('team')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

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

/** The teams that were not deleted. */
const present = (tx: Tx, orgId: string) =>
  tx.selectFrom('team').selectAll().where('org_id', '=', orgId).where('deleted_at', 'is', null);

export const findTeam = (
  tx: Tx,
  { orgId, teamId }: { orgId: string; teamId: string },
): Promise<TeamRow | undefined> => present(tx, orgId).where('id', '=', teamId).executeTakeFirst();

/** The same, also one that was deleted. */
export const findTeamEver = (
  tx: Tx,
  { orgId, teamId }: { orgId: string; teamId: string },
): Promise<TeamRow | undefined> =>
  tx.selectFrom('team').selectAll().where('org_id', '=', orgId).where('id', '=', teamId).executeTakeFirst();

export const findByIntegration = (
  tx: Tx,
  { orgId, integrationTeamId }: { orgId: string; integrationTeamId: string },
): Promise<TeamRow | undefined> =>
  present(tx, orgId).where('integration_team_id', '=', integrationTeamId).executeTakeFirst();

/** Those of the ids that are teams of the organization and were not deleted. */
export const findTeams = (tx: Tx, orgId: string, ids: readonly string[]): Promise<TeamRow[]> =>
  present(tx, orgId)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute();

/** How many of the ids are teams of the organization that were not deleted. */
export const countTeams = async (tx: Tx, orgId: string, ids: readonly string[]): Promise<number> =>
  (await findTeams(tx, orgId, ids)).length;

export interface TeamPage {
  readonly orgId: string;
  readonly regions: readonly Region[] | undefined;
  readonly search: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

export function listTeams(tx: Tx, page: TeamPage): Promise<TeamRow[]> {
  let query = present(tx, page.orgId);
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

export const changeTeam = (tx: Tx, id: string, change: Updateable<Database['team']>): Promise<TeamRow> =>
  tx.updateTable('team').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** Deletes softly, with all keys; the integration id becomes free. */
export async function markTeamDeleted(tx: Tx, id: string, at: Date): Promise<void> {
  await changeTeam(tx, id, { deleted_at: at, integration_team_id: null });
  await tx
    .updateTable('api_key')
    .set({ deleted_at: at })
    .where('team_id', '=', id)
    .where('deleted_at', 'is', null)
    .execute();
}

export const listEnvironments = (tx: Tx, teamId: string): Promise<EnvironmentRow[]> =>
  tx
    .selectFrom('team_environment')
    .select(['environment', 'settings', 'features', 'clock_offset_ms'])
    .where('team_id', '=', teamId)
    .execute();

export const getEnvironment = (tx: Tx, tenant: Tenant): Promise<EnvironmentRow> =>
  tx
    .selectFrom('team_environment')
    .select(['environment', 'settings', 'features', 'clock_offset_ms'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .executeTakeFirstOrThrow();

export async function changeEnvironment(
  tx: Tx,
  tenant: Tenant,
  change: { settings: string; features: string[] },
): Promise<void> {
  await tx
    .updateTable('team_environment')
    .set(change)
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .execute();
}

/** Whether the team of the tenant was not deleted. */
export async function isTeamThere({ tx, tenant }: Work): Promise<boolean> {
  const row = await tx
    .selectFrom('team')
    .select('id')
    .where('id', '=', tenant.teamId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** The team, if it was not deleted; and then it is not before the transaction ends. */
export const lockTeam = (tx: Tx, id: string): Promise<{ id: string } | undefined> =>
  tx
    .selectFrom('team')
    .select('id')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forShare()
    .executeTakeFirst();

/** A team that is known to be there. */
export const getTeam = (tx: Tx, id: string): Promise<TeamRow> =>
  tx.selectFrom('team').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
