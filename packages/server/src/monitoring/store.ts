import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';
import type { Environment } from '../platform/tenant.ts';

/** Jobs of one name. */
export interface QueueState {
  readonly job: string;
  readonly waiting: number;
  readonly running: number;
  /** Given up after their last attempt. */
  readonly dead: number;
  /** Age of the oldest waiting job; null if none waits. */
  readonly oldest_seconds: number | null;
}

export async function listQueueStates(tx: Tx): Promise<QueueState[]> {
  const { rows } = await sql<QueueState>`select * from aliquot_queue_state()`.execute(tx);
  return rows;
}

/** What waits, and for how long the oldest has. */
export interface Backlog {
  readonly count: number;
  readonly oldest_seconds: number | null;
}

/** Timers that are due and have not enqueued their job. */
export async function countOverdueTimers(tx: Tx, now: Date): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    select count(*) as count, extract(epoch from ${now}::timestamptz - min(due_wall))::float8 as oldest_seconds
    from timer where due_wall <= ${now}`.execute(tx);
  return rows[0] ?? NOTHING;
}

const NOTHING: Backlog = { count: 0, oldest_seconds: null };

export interface TenantBacklog extends Backlog {
  readonly environment: Environment;
}

/** Events that have no position in their log yet. */
export async function countUnplacedEvents(tx: Tx, now: Date): Promise<TenantBacklog[]> {
  const { rows } = await sql<TenantBacklog>`
    select e.environment, count(*) as count, ${ageOf(now, 'e.created_at')} as oldest_seconds
    from event e join team_environment t using (team_id, environment)
    where e.position is null group by 1`.execute(tx);
  return rows;
}

/** Webhook messages that are still to be delivered. Bundles count as their messages. */
export async function countQueuedMessages(tx: Tx, now: Date): Promise<TenantBacklog[]> {
  const { rows } = await sql<TenantBacklog>`
    select environment, sum(count)::bigint as count, max(oldest_seconds) as oldest_seconds from (
      select d.environment, count(*) as count, ${ageOf(now, 'd.created_at')} as oldest_seconds
      from webhook_delivery d join team_environment t using (team_id, environment)
      where d.status = 'pending' group by 1
      union all
      select b.environment, sum(cardinality(b.event_ids)) as count, ${ageOf(now, 'b.due_at')} as oldest_seconds
      from webhook_bundle b join team_environment t using (team_id, environment) group by 1) as queued
    group by 1`.execute(tx);
  return rows;
}

/** These times are on the clock of their tenant. */
const ageOf = (now: Date, column: string) =>
  sql`extract(epoch from max(${now}::timestamptz + t.clock_offset_ms * interval '1 millisecond' - ${sql.ref(column)}))::float8`;

/** Events that wait for a message broker. */
export async function countBrokerBacklog(tx: Tx, now: Date): Promise<TenantBacklog[]> {
  const { rows } = await sql<TenantBacklog>`
    select environment, count(*) as count,
      extract(epoch from ${now}::timestamptz - min(due_wall))::float8 as oldest_seconds
    from pipeline_delivery group by 1`.execute(tx);
  return rows;
}

export interface TenantCount {
  readonly environment: Environment;
  readonly kind: string;
  readonly count: number;
}

/** Laboratory messages and webhook messages that were given up. */
export async function countDeadLetters(tx: Tx): Promise<TenantCount[]> {
  const { rows } = await sql<TenantCount>`
    select environment, 'lab_message' as kind, count(*) as count from lab_message where status = 'dead' group by 1
    union all
    select environment, 'webhook' as kind, count(*) as count from webhook_delivery where status = 'failed' group by 1`.execute(
    tx,
  );
  return rows;
}

/** Results that wait for the decision of a person. */
export async function countReviews(tx: Tx): Promise<TenantCount[]> {
  const { rows } = await sql<TenantCount>`
    select environment, 'unmatched_result' as kind, count(*) as count from incoming_result
    where review_opened_at is not null and status in ('pending_customer_review', 'pending_ops_review') group by 1
    union all
    select environment, 'lab_report' as kind, count(*) as count from lab_report_job
    where status = 'pending_review' group by 1`.execute(tx);
  return rows;
}

/** Critical results that were not acknowledged before their deadline. */
export async function countOverdueCriticalResults(tx: Tx, now: Date): Promise<TenantCount[]> {
  const { rows } = await sql<TenantCount>`
    select c.environment, 'critical_result' as kind, count(*) as count
    from critical_result c join team_environment t using (team_id, environment)
    where c.status <> 'acknowledged'
      and c.escalation_due_at <= ${now}::timestamptz + t.clock_offset_ms * interval '1 millisecond'
    group by 1`.execute(tx);
  return rows;
}

export async function readDatabaseBytes(tx: Tx): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(
    tx,
  );
  return rows[0]?.bytes ?? 0;
}

/** So that a metric never holds up the database. */
export const limitStatements = (tx: Tx) => sql`set local statement_timeout = '5s'`.execute(tx);
