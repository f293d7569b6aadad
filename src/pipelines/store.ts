import { sql, type Insertable, type Selectable } from 'kysely';
import type { Broker } from '../adapters/event-destination/port.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { tenantColumns } from '../platform/db/tenant-rows.ts';
import type { Environment, Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import type { Role } from './preferences.ts';
import './table.ts';

export type PipelineRow = Selectable<Database['event_pipeline']>;
export type DestinationRow = Selectable<Database['event_destination']>;

export interface PipelinePage {
  readonly orgId: string;
  readonly environment: Environment;
  /** Null: all teams of the organization. */
  readonly teamIds: readonly string[] | null;
  readonly after: string | null;
  readonly limit: number;
}

/** The settings of the teams of an organization that were not deleted, by team. */
export const listPipelines = (tx: Tx, page: PipelinePage): Promise<PipelineRow[]> =>
  tx
    .selectFrom('event_pipeline')
    .innerJoin('team', 'team.id', 'event_pipeline.team_id')
    .selectAll('event_pipeline')
    .where('team.org_id', '=', page.orgId)
    .where('team.deleted_at', 'is', null)
    .where('event_pipeline.environment', '=', page.environment)
    .$if(page.teamIds !== null, (q) =>
      q.where('event_pipeline.team_id', '=', sql<string>`any(${[...(page.teamIds ?? [])]}::uuid[])`),
    )
    .$if(page.after !== null, (q) => q.where('event_pipeline.team_id', '>', page.after ?? ''))
    .orderBy('event_pipeline.team_id')
    .limit(page.limit)
    .execute();

export const findPipeline = (tx: Tx, tenant: Tenant): Promise<PipelineRow | undefined> =>
  tx
    .selectFrom('event_pipeline')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .executeTakeFirst();

/** The row, if there is one, and nobody else makes or changes it until the transaction ends. */
export async function holdPipeline(tx: Tx, tenant: Tenant): Promise<PipelineRow | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`pipeline/${tenant.teamId}/${tenant.environment}`}, 0))`.execute(
    tx,
  );
  return findPipeline(tx, tenant);
}

type PipelineColumns = Omit<
  Insertable<Database['event_pipeline']>,
  'team_id' | 'environment' | 'created_at' | 'revision'
>;

export async function writePipeline(tx: Tx, tenant: Tenant, columns: PipelineColumns): Promise<void> {
  await tx
    .insertInto('event_pipeline')
    .values({ ...tenantColumns(tenant), ...columns, created_at: columns.updated_at })
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'environment'])
        .doUpdateSet({ ...columns, revision: sql<number>`event_pipeline.revision + 1` }),
    )
    .execute();
}

/** The settings go, with the brokers and what waits for them. */
export async function deletePipeline(tx: Tx, tenant: Tenant): Promise<void> {
  await tx
    .deleteFrom('event_pipeline')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .execute();
}

export const listDestinations = (tx: Tx, tenant: Tenant): Promise<DestinationRow[]> =>
  tx
    .selectFrom('event_destination')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .forUpdate()
    .execute();

/**
 * A broker as it begins, and begins anew after its settings were changed: nothing is held against it. The main one keeps
 * what waits for it.
 */
export async function writeDestination(
  tx: Tx,
  tenant: Tenant,
  { id, broker, role, at }: { id: string; broker: Broker; role: Role; at: Date },
): Promise<string> {
  const row = await tx
    .insertInto('event_destination')
    .values({ ...tenantColumns(tenant), id, broker, role, created_at: at })
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'environment', 'broker']).doUpdateSet({
        role,
        failures: 0,
        retry_at: null,
        failing_since: null,
        ...(role === 'main' ? { hands_on_up_to: null } : {}),
      }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Nothing that waits for one broker of a tenant counts as given to another any more. */
export async function forgetHandedOver(tx: Tx, tenant: Tenant): Promise<void> {
  await tx
    .updateTable('event_destination')
    .set({ handed_over_to: 0 })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .execute();
}

/** It is removed once what waits for it is handed on. */
export async function retireDestination(tx: Tx, tenant: Tenant, id: string): Promise<void> {
  await tx
    .updateTable('event_destination')
    .set({ role: 'removed' })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}

export async function deleteDestination(tx: Tx, tenant: Tenant, id: string): Promise<void> {
  await tx
    .deleteFrom('event_destination')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}

export type HealthRow = Pick<
  DestinationRow,
  'broker' | 'failing_since' | 'last_success_at' | 'last_failure_at' | 'last_error' | 'retry_at'
> & { readonly role: Role; readonly waiting: number; readonly oldest_at: Date | null };

/** How the brokers of a tenant do, the main one first. For that one waits as well what is still being handed on to it. */
export async function readHealth({ tx, tenant }: Work): Promise<HealthRow[]> {
  const { rows } = await sql<HealthRow>`
    select d.broker, d.role, d.failing_since, d.last_success_at, d.last_failure_at, d.last_error, d.retry_at, w.waiting,
      (select e.created_at from event e
        where e.team_id = d.team_id and e.environment = d.environment and e.position = w.first) as oldest_at
    from event_destination d
    cross join lateral (select count(*)::int as waiting, min(position) as first from (
      select position from pipeline_delivery where destination_id = d.id
      union all
      select c.position from event_destination s
      join pipeline_delivery c on c.destination_id = s.id and c.position > s.handed_over_to
        and c.position <= s.hands_on_up_to
      where s.team_id = d.team_id and s.environment = d.environment and d.role = 'main') each) w
    where d.team_id = ${tenant.teamId} and d.environment = ${tenant.environment} and d.role <> 'removed'
    order by d.role`.execute(tx);
  return rows;
}
