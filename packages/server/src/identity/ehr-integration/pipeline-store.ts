import { sql, type Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Environment, Tenant } from '../../platform/tenant.ts';
import './table.ts';

export type EhrPipelineRow = Selectable<Database['ehr_pipeline']>;
export type EhrType = EhrPipelineRow['ehr_type'];

interface EhrPipelinePage {
  readonly orgId: string;
  readonly environment: Environment;
  /** Null: all teams of the organization. */
  readonly teamIds: readonly string[] | null;
  readonly after: string | undefined;
  readonly limit: number;
}

/** The pipelines of the organization's teams that are not deleted, oldest first. */
export function listPipelines(tx: Tx, page: EhrPipelinePage): Promise<EhrPipelineRow[]> {
  let query = tx
    .selectFrom('ehr_pipeline as p')
    .innerJoin('team as t', 't.id', 'p.team_id')
    .selectAll('p')
    .where('t.org_id', '=', page.orgId)
    .where('t.deleted_at', 'is', null)
    .where('p.environment', '=', page.environment);
  if (page.teamIds) query = query.where('p.team_id', '=', sql<string>`any(${[...page.teamIds]}::uuid[])`);
  if (page.after !== undefined) query = query.where('p.id', '>', page.after);
  return query.orderBy('p.id').limit(page.limit).execute();
}

export const findPipeline = (tx: Tx, tenant: Tenant, ehrType: EhrType): Promise<EhrPipelineRow | undefined> =>
  tx
    .selectFrom('ehr_pipeline')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('ehr_type', '=', ehrType)
    .executeTakeFirst();

type EhrPipelineColumns = Pick<
  EhrPipelineRow,
  'type' | 'base_url' | 'authentication' | 'allowed_mappers' | 'updated_at'
>;

/** Upserts by ehr_type; an existing row keeps its id and created_at. */
export const upsertPipeline = (
  tx: Tx,
  tenant: Tenant,
  { id, ehrType, columns }: { id: string; ehrType: EhrType; columns: EhrPipelineColumns },
): Promise<EhrPipelineRow> =>
  tx
    .insertInto('ehr_pipeline')
    .values({
      ...tenantColumns(tenant),
      id,
      ehr_type: ehrType,
      created_at: columns.updated_at,
      ...columns,
    })
    .onConflict((conflict) => conflict.columns(['team_id', 'environment', 'ehr_type']).doUpdateSet(columns))
    .returningAll()
    .executeTakeFirstOrThrow();

export async function deletePipeline(tx: Tx, tenant: Tenant, ehrType: EhrType): Promise<void> {
  await tx
    .deleteFrom('ehr_pipeline')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('ehr_type', '=', ehrType)
    .execute();
}
