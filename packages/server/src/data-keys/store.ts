import { sql, type Selectable, type Updateable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import { tenantColumns, toTenant } from '../platform/db/tenant-rows.ts';
import type { Tenant } from '../platform/tenant.ts';
import './table.ts';

type DataKeyRotationTable = Database['data_key_rotation'];
export type DataKeyRotationRow = Selectable<DataKeyRotationTable>;

const OPEN_STATES = ['announced', 'sealing', 'stuck'] as const;

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

const rotationsOfTenant = (tx: Tx, { teamId, environment }: Tenant) =>
  tx
    .selectFrom('data_key_rotation')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('environment', '=', environment);

/** Serializes the starts of rotations of one tenant until the transaction ends. */
export async function lockRotationStart(tx: Tx, { teamId, environment }: Tenant): Promise<void> {
  const lock = `data-key-rotation/${teamId}/${environment}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
}

/** The unfinished rotation, if there is one. */
export const findOpenRotation = (tx: Tx, tenant: Tenant): Promise<DataKeyRotationRow | undefined> =>
  rotationsOfTenant(tx, tenant).where('state', 'in', OPEN_STATES).executeTakeFirst();

/** Locks the unfinished rotation; undefined while another process has locked it. */
export const lockOpenRotation = (tx: Tx, tenant: Tenant): Promise<DataKeyRotationRow | undefined> =>
  rotationsOfTenant(tx, tenant).where('state', 'in', OPEN_STATES).forUpdate().skipLocked().executeTakeFirst();

/** The latest rotation, in any state. */
export const findNewestRotation = (tx: Tx, tenant: Tenant): Promise<DataKeyRotationRow | undefined> =>
  rotationsOfTenant(tx, tenant).orderBy('generation', 'desc').limit(1).executeTakeFirst();

export async function updateRotation(
  tx: Tx,
  { team_id, environment, generation }: Pick<DataKeyRotationRow, 'team_id' | 'environment' | 'generation'>,
  change: Updateable<DataKeyRotationTable>,
): Promise<void> {
  await tx
    .updateTable('data_key_rotation')
    .set(change)
    .where('team_id', '=', team_id)
    .where('environment', '=', environment)
    .where('generation', '=', generation)
    .execute();
}

/** The tenants with a rotation in progress, oldest first. */
export async function listRotatingTenants(tx: Tx, limit: number): Promise<Tenant[]> {
  const rows = await tx
    .selectFrom('data_key_rotation')
    .select(['team_id', 'environment'])
    .where('state', 'in', ['announced', 'sealing'])
    .orderBy('announced_at')
    .limit(limit)
    .execute();
  return rows.map(toTenant);
}

/** Makes this key the one that seals; the previous key only opens from then on. */
export async function switchCurrentKey(
  tx: Tx,
  row: Pick<DataKeyRotationRow, 'team_id' | 'environment' | 'generation'>,
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
