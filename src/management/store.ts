import type { Insertable, Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import { tenantColumns } from '../platform/db/tenant-rows.ts';
import type { Tenant } from '../platform/tenant.ts';

export type TeamRow = Selectable<Database['team']>;

export async function insertOrganization(tx: Tx, row: Insertable<Database['organization']>) {
  await tx.insertInto('organization').values(row).execute();
  return row;
}

export const findFirstOrganization = (tx: Tx) =>
  tx.selectFrom('organization').selectAll().limit(1).executeTakeFirst();

export async function insertTeam(tx: Tx, row: Insertable<Database['team']>): Promise<void> {
  await tx.insertInto('team').values(row).execute();
}

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

/** A team that was not deleted. */
export const findTeam = (tx: Tx, { orgId, teamId }: { orgId: string; teamId: string }): Promise<TeamRow | undefined> =>
  tx
    .selectFrom('team')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', teamId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();

type KeyRow<T extends 'api_key' | 'management_key'> = Omit<Insertable<Database[T]>, 'last_used_at' | 'deleted_at'>;

export async function insertTeamKey(tx: Tx, row: KeyRow<'api_key'>): Promise<void> {
  await tx
    .insertInto('api_key')
    .values({ ...row, last_used_at: null, deleted_at: null })
    .execute();
}

export async function insertManagementKey(tx: Tx, row: KeyRow<'management_key'>): Promise<void> {
  await tx
    .insertInto('management_key')
    .values({ ...row, last_used_at: null, deleted_at: null })
    .execute();
}

export async function bindTeams(tx: Tx, keyId: string, teamIds: readonly string[]): Promise<void> {
  if (teamIds.length === 0) return;
  const rows = teamIds.map((teamId) => ({ management_key_id: keyId, team_id: teamId }));
  await tx.insertInto('management_key_team').values(rows).execute();
}

/** A living key of a living team, with what the gate needs to know of its tenant. */
export const findTeamKey = (tx: Tx, digest: Buffer) =>
  tx
    .selectFrom('api_key as k')
    .innerJoin('team as t', 't.id', 'k.team_id')
    .innerJoin('team_environment as e', (join) =>
      join.onRef('e.team_id', '=', 'k.team_id').onRef('e.environment', '=', 'k.environment'),
    )
    .select(['k.id', 'k.team_id', 'k.environment', 'e.features'])
    .where('k.digest', '=', digest)
    .where('k.deleted_at', 'is', null)
    .where('t.deleted_at', 'is', null)
    .executeTakeFirst();

/** What the gate needs to know of a tenant that an access token names. */
export const findTokenTenant = (tx: Tx, tenant: Tenant) =>
  tx
    .selectFrom('team as t')
    .innerJoin('team_environment as e', 'e.team_id', 't.id')
    .select(['e.features', 'e.clock_offset_ms'])
    .where('t.id', '=', tenant.teamId)
    .where('e.environment', '=', tenant.environment)
    .where('t.deleted_at', 'is', null)
    .executeTakeFirst();

export const findManagementKey = (tx: Tx, digest: Buffer) =>
  tx
    .selectFrom('management_key as k')
    .innerJoin('organization as o', 'o.id', 'k.org_id')
    .leftJoin('management_key_team as b', 'b.management_key_id', 'k.id')
    .select((row) => [
      'k.id',
      'k.org_id',
      'k.role',
      'o.plan',
      row.fn.agg<(string | null)[]>('array_agg', ['b.team_id']).as('team_ids'),
    ])
    .where('k.digest', '=', digest)
    .where('k.deleted_at', 'is', null)
    .groupBy(['k.id', 'k.org_id', 'k.role', 'o.plan'])
    .executeTakeFirst();

/** Records when keys were last used, for many at once. */
export async function markUsed(
  tx: Tx,
  table: 'api_key' | 'management_key',
  used: ReadonlyMap<string, Date>,
): Promise<void> {
  for (const [id, at] of used) {
    await tx.updateTable(table).set({ last_used_at: at }).where('id', '=', id).execute();
  }
}
