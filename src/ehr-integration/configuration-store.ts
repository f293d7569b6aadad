import type { Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import './table.ts';

export type ConfigurationRow = Selectable<Database['ehr_configuration']>;

export const findConfiguration = (tx: Tx, orgId: string): Promise<ConfigurationRow | undefined> =>
  tx.selectFrom('ehr_configuration').selectAll().where('org_id', '=', orgId).executeTakeFirst();

export async function writeConfiguration(tx: Tx, { org_id, ...row }: ConfigurationRow): Promise<void> {
  const columns = { ...row, origin_configs: JSON.stringify(row.origin_configs) };
  await tx
    .insertInto('ehr_configuration')
    .values({ org_id, ...columns })
    .onConflict((conflict) => conflict.column('org_id').doUpdateSet(columns))
    .execute();
}
