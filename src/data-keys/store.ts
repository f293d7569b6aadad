import { sql, type Selectable, type Updateable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import { tenantColumns } from '../platform/db/tenant-rows.ts';
import type { Environment, Tenant } from '../platform/tenant.ts';
import './table.ts';

type Table = Database['data_key_rotation'];
export type RotationRow = Selectable<Table>;

export const OPEN = ['announced', 'sealing', 'stuck'] as const;

export async function insertRotation(
  tx: Tx,
  tenant: Tenant,
  { generation, at }: { generation: number; at: Date },
): Promise<void> {
  await tx
    .insertInto('data_key_rotation')
    .values({
      ...tenantColumns(tenant),
      generation,
      state: 'announced',
      announced_at: at,
      switched_at: null,
      finished_at: null,
      round: 0,
      round_began_at: null,
      round_resealed: 0,
      place: 0,
      after: null,
      resealed: 0,
      hindrance: null,
    })
    .execute();
}

const ofTenant = (tx: Tx, { teamId, environment }: Tenant) =>
  tx
    .selectFrom('data_key_rotation')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('environment', '=', environment);

/** Makes those who begin an exchange of a tenant follow each other, until their transactions end. */
export async function lockBeginning(tx: Tx, { teamId, environment }: Tenant): Promise<void> {
  const lock = `data-key-rotation/${teamId}/${environment}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
}

/** The exchange that is not over, if there is one. */
export const findOpen = (tx: Tx, tenant: Tenant): Promise<RotationRow | undefined> =>
  ofTenant(tx, tenant).where('state', 'in', OPEN).executeTakeFirst();

/** The same to be worked at, unless somebody else does. */
export const holdOpen = (tx: Tx, tenant: Tenant): Promise<RotationRow | undefined> =>
  ofTenant(tx, tenant).where('state', 'in', OPEN).forUpdate().skipLocked().executeTakeFirst();

/** The newest exchange, whatever became of it. */
export const findNewest = (tx: Tx, tenant: Tenant): Promise<RotationRow | undefined> =>
  ofTenant(tx, tenant).orderBy('generation', 'desc').limit(1).executeTakeFirst();

export async function changeRotation(
  tx: Tx,
  { team_id, environment, generation }: Pick<RotationRow, 'team_id' | 'environment' | 'generation'>,
  change: Updateable<Table>,
): Promise<void> {
  await tx
    .updateTable('data_key_rotation')
    .set(change)
    .where('team_id', '=', team_id)
    .where('environment', '=', environment)
    .where('generation', '=', generation)
    .execute();
}

/** The tenants for whom there may be something to do, those who have waited longest first. */
export async function listTenants(tx: Tx, limit: number): Promise<Tenant[]> {
  const rows = await tx
    .selectFrom('data_key_rotation')
    .select(['team_id', 'environment'])
    .where('state', 'in', ['announced', 'sealing'])
    .orderBy('announced_at')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ teamId: row.team_id, environment: environmentOf(row.environment) }));
}

const environmentOf = (text: string): Environment => (text === 'sandbox' ? 'sandbox' : 'production');

/** From now on this key seals, and the one that did so far only opens. */
export async function switchKeys(
  tx: Tx,
  row: Pick<RotationRow, 'team_id' | 'environment' | 'generation'>,
): Promise<void> {
  const ofTeam = (state: 'current' | 'retired') =>
    tx
      .updateTable('tenant_key')
      .set({ state })
      .where('team_id', '=', row.team_id)
      .where('environment', '=', row.environment);
  await ofTeam('retired').where('state', '=', 'current').execute();
  await ofTeam('current').where('generation', '=', row.generation).execute();
}
