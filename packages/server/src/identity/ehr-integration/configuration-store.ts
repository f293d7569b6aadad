import type { Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

export type EhrConfigurationRow = Selectable<Database['ehr_configuration']>;

export const findConfiguration = (tx: Tx, orgId: string): Promise<EhrConfigurationRow | undefined> =>
  tx.selectFrom('ehr_configuration').selectAll().where('org_id', '=', orgId).executeTakeFirst();

export async function upsertConfiguration(tx: Tx, { org_id, ...row }: EhrConfigurationRow): Promise<void> {
  const columns = { ...row, origin_configs: JSON.stringify(row.origin_configs) };
  await tx
    .insertInto('ehr_configuration')
    .values({ org_id, ...columns })
    .onConflict((conflict) => conflict.column('org_id').doUpdateSet(columns))
    .execute();
}
