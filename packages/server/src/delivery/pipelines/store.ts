import { sql, type Insertable, type Selectable } from 'kysely';
import type { Broker } from '../../adapters/event-destination/port.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Environment, Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { BrokerRole } from './preferences.ts';
import './table.ts';

export type EventPipelineRow = Selectable<Database['event_pipeline']>;
type EventDestinationRow = Selectable<Database['event_destination']>;

interface EventPipelinePage {
  readonly orgId: string;
  readonly environment: Environment;
  /** Null: all teams of the organization. */
  readonly teamIds: readonly string[] | null;
  readonly after: string | null;
  readonly limit: number;
}

/** The settings of the teams of an organization, without deleted teams, by team id. */
export const listPipelines = (tx: Tx, page: EventPipelinePage): Promise<EventPipelineRow[]> =>
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

export const findPipeline = (tx: Tx, tenant: Tenant): Promise<EventPipelineRow | undefined> =>
  tx
    .selectFrom('event_pipeline')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .executeTakeFirst();

/** Returns the row, if there is one. Locks it, or its absence, until the transaction ends. */
export async function lockPipeline(tx: Tx, tenant: Tenant): Promise<EventPipelineRow | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`pipeline/${tenant.teamId}/${tenant.environment}`}, 0))`.execute(
    tx,
  );
  return findPipeline(tx, tenant);
}

type PipelineColumns = Omit<
  Insertable<Database['event_pipeline']>,
  'team_id' | 'environment' | 'created_at' | 'revision'
>;

export async function upsertPipeline(tx: Tx, tenant: Tenant, columns: PipelineColumns): Promise<void> {
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

/** Deletes the settings, with the brokers and their backlog. */
export async function deletePipeline(tx: Tx, tenant: Tenant): Promise<void> {
  await tx
    .deleteFrom('event_pipeline')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .execute();
}

export const listDestinations = (tx: Tx, tenant: Tenant): Promise<EventDestinationRow[]> =>
  tx
    .selectFrom('event_destination')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .forUpdate()
    .execute();

/**
 * Creates a broker, or resets its failures after its settings changed. For the main broker, cancels a transfer of its
 * backlog.
 */
export async function upsertDestination(
  tx: Tx,
  tenant: Tenant,
  { id, broker, role, at }: { id: string; broker: Broker; role: BrokerRole; at: Date },
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

/** Resets the failover positions of all brokers of a tenant: nothing counts as handed over any more. */
export async function resetAllHandedOver(tx: Tx, tenant: Tenant): Promise<void> {
  await tx
    .updateTable('event_destination')
    .set({ handed_over_to: 0 })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .execute();
}

/** Marks a broker for removal after its backlog has been transferred. */
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

export type DestinationHealthRow = Pick<
  EventDestinationRow,
  'broker' | 'failing_since' | 'last_success_at' | 'last_failure_at' | 'last_error' | 'retry_at'
> & { readonly role: BrokerRole; readonly waiting: number; readonly oldest_at: Date | null };

/** The health of the brokers of a tenant, the main one first. Its backlog includes what is still being transferred. */
export async function listDestinationHealth({ tx, tenant }: Work): Promise<DestinationHealthRow[]> {
  const { rows } = await sql<DestinationHealthRow>`
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
