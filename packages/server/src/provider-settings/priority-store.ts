import { sql, type Selectable } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { tenantColumns } from '../platform/db/tenant-rows.ts';
import type { Work } from '../platform/work.ts';
import './table.ts';

export type SourcePriorityRow = Pick<
  Selectable<Database['source_priority']>,
  'data_type' | 'provider' | 'priority'
>;

/** Lists priorities by data type and priority. */
export function listPriorities(
  { tx, tenant }: Work,
  dataType: string | undefined,
): Promise<SourcePriorityRow[]> {
  let query = tx
    .selectFrom('source_priority')
    .select(['data_type', 'provider', 'priority'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);
  if (dataType !== undefined) query = query.where('data_type', '=', dataType);
  return query.orderBy('data_type').orderBy('priority').execute();
}

/** Locks the tenant's priorities until the transaction ends. */
export async function lockPriorities({ tx, tenant }: Work): Promise<void> {
  const name = `source-priority/${tenant.teamId}/${tenant.environment}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}

/** Replaces all priorities of the tenant. */
export async function replacePriorities(
  { tx, tenant }: Work,
  rows: readonly SourcePriorityRow[],
): Promise<void> {
  await tx
    .deleteFrom('source_priority')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .execute();
  if (rows.length === 0) return;
  const values = rows.map((row) => ({ ...tenantColumns(tenant), ...row }));
  await tx.insertInto('source_priority').values(values).execute();
}
