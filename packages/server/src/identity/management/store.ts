import { sql, type Insertable, type Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { Tenant } from '../../platform/tenant.ts';
import './table.ts';

export type OrganizationRow = Selectable<Database['organization']>;

export async function insertOrganization(
  tx: Tx,
  row: Insertable<Database['organization']>,
): Promise<OrganizationRow> {
  await tx.insertInto('organization').values(row).execute();
  return row;
}

export const findFirstOrganization = (tx: Tx): Promise<OrganizationRow | undefined> =>
  tx.selectFrom('organization').selectAll().limit(1).executeTakeFirst();

export const findOrganization = (tx: Tx, id: string): Promise<OrganizationRow | undefined> =>
  tx.selectFrom('organization').selectAll().where('id', '=', id).executeTakeFirst();

/** Serializes changes to the teams and keys of one organization. */
export const lockOrganization = (tx: Tx, id: string): Promise<OrganizationRow | undefined> =>
  tx.selectFrom('organization').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export async function renameOrganization(tx: Tx, id: string, name: string): Promise<void> {
  await tx.updateTable('organization').set({ name }).where('id', '=', id).execute();
}

/** One bootstrap at a time, on all nodes. */
export async function lockBootstrap(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('aliquot.bootstrap', 0))`.execute(tx);
}

export type ActiveTeamKey = Pick<
  Selectable<Database['api_key']>,
  'id' | 'team_id' | 'environment' | 'expires_at' | 'read_only' | 'areas' | 'assistants'
> &
  Pick<Selectable<Database['team_environment']>, 'features' | 'clock_offset_ms'>;

/** A key that was not revoked, of an existing team, with the features and clock offset of its tenant. */
export const findTeamKey = (tx: Tx, digest: Buffer): Promise<ActiveTeamKey | undefined> =>
  tx
    .selectFrom('api_key as k')
    .innerJoin('team as t', 't.id', 'k.team_id')
    .innerJoin('team_environment as e', (join) =>
      join.onRef('e.team_id', '=', 'k.team_id').onRef('e.environment', '=', 'k.environment'),
    )
    .select(['k.id', 'k.team_id', 'k.environment', 'k.expires_at', 'k.read_only', 'k.areas', 'k.assistants'])
    .select(['e.features', 'e.clock_offset_ms'])
    .where('k.digest', '=', digest)
    .where('k.deleted_at', 'is', null)
    .where('t.deleted_at', 'is', null)
    .executeTakeFirst();

/** The rate limits that were set for a tenant, in units per minute. */
export const findRateLimits = (
  tx: Tx,
  tenant: Tenant,
): Promise<{ team: number | null; key: number | null } | undefined> =>
  tx
    .selectFrom('team_environment')
    .select([
      sql<number | null>`(settings->>'rate_limit_team')::int`.as('team'),
      sql<number | null>`(settings->>'rate_limit_key')::int`.as('key'),
    ])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .executeTakeFirst();

/** A management key that was not revoked, with the plan of its organization and the bound teams that exist. */
export const findManagementKey = (tx: Tx, digest: Buffer) =>
  tx
    .selectFrom('management_key as k')
    .innerJoin('organization as o', 'o.id', 'k.org_id')
    .leftJoin('management_key_team as b', 'b.management_key_id', 'k.id')
    .leftJoin('team as t', (join) => join.onRef('t.id', '=', 'b.team_id').on('t.deleted_at', 'is', null))
    .select((row) => [
      'k.id',
      'k.org_id',
      'k.role',
      'k.expires_at',
      'o.plan',
      row.fn.agg<(string | null)[]>('array_agg', ['t.id']).as('team_ids'),
    ])
    .where('k.digest', '=', digest)
    .where('k.deleted_at', 'is', null)
    .groupBy(['k.id', 'k.org_id', 'k.role', 'k.expires_at', 'o.plan'])
    .executeTakeFirst();

/** Saves the last uses of many keys; the latest use wins, whatever the order of the writes. */
export async function saveLastUses(
  tx: Tx,
  table: 'api_key' | 'management_key',
  used: ReadonlyMap<string, Date>,
): Promise<void> {
  const ids = [...used.keys()];
  const moments = [...used.values()].map((moment) => moment.toISOString());
  await sql`
    update ${sql.table(table)} as k set last_used_at = u.at
    from unnest(${ids}::uuid[], ${moments}::timestamptz[]) as u (id, at)
    where k.id = u.id and (k.last_used_at is null or k.last_used_at < u.at)`.execute(tx);
}
