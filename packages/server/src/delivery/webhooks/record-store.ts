import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { OutcomeStatus } from './outcome.ts';
import { toArrayLiteral } from '../../platform/db/array-literal.ts';
import './table.ts';

/** An outcome in the columns of its tables. Times are system times. */
export interface OutcomeRow {
  readonly teamId: string;
  readonly environment: string;
  readonly id: string;
  readonly endpointId: string;
  /** The event type to count; null for a test message, which is not counted. */
  readonly countedType: string | null;
  /** Number of attempts before the claim. */
  readonly attemptsBefore: number;
  /** `delivered`, or the new status of the message. */
  readonly status: OutcomeStatus;
  readonly nextDueAt: Date | null;
  readonly endedAt: Date;
  readonly attemptId: string;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly exchange: Buffer;
}

/** The offset of each value in their concatenation; the first byte is number 1. */
export function offsetsOf(values: readonly Buffer[]): number[] {
  let next = 1;
  return values.map(({ length }) => (next += length) - length);
}

/** The resolution of attempt counts. */
export const TALLY_MINUTES = 5;

/**
 * Records many outcomes and their attempts at once, counts them, and returns the ids of those recorded. Delivered
 * messages leave the queue; the others stay. A message that another sender recorded first, after its lease had ended,
 * is unchanged. Works for the system and for a tenant.
 */
export async function recordOutcomes(tx: Tx, rows: readonly OutcomeRow[]): Promise<Set<string>> {
  const column = (read: (row: OutcomeRow) => string | number | null) => toArrayLiteral(rows.map(read));
  const exchanges = rows.map(({ exchange }) => exchange);
  const { rows: written } = await sql<{ id: string }>`
    with given as materialized (select * from unnest(
      ${column((r) => r.teamId)}::uuid[], ${column((r) => r.environment)}::text[],
      ${column((r) => r.id)}::uuid[], ${column((r) => r.endpointId)}::uuid[], ${rows.map((r) => r.countedType)}::text[],
      ${column((r) => r.attemptsBefore)}::int[], ${column((r) => r.status)}::text[],
      ${column((r) => r.nextDueAt && r.nextDueAt.toISOString())}::timestamptz[],
      ${column((r) => r.endedAt.toISOString())}::timestamptz[], ${column((r) => r.attemptId)}::uuid[],
      ${column((r) => r.statusCode)}::int[], ${rows.map((r) => r.error)}::text[],
      ${column((r) => r.durationMs)}::int[],
      ${toArrayLiteral(offsetsOf(exchanges))}::int[], ${toArrayLiteral(exchanges.map(({ length }) => length))}::int[])
      as v (team_id, environment, id, endpoint_id, counted_type, attempts_before, status, due_wall, wall, attempt_id,
        status_code, error, duration_ms, exchange_from, exchange_length)),
    v as materialized (
      select given.*, given.wall + t.ahead as at, given.due_wall + t.ahead as due_at from given
      cross join lateral (select interval '1 ms' * clock_offset_ms as ahead from team_environment
        where team_id = given.team_id and environment = given.environment offset 0) t),
    delivered as (
      delete from webhook_delivery d using v where v.status = 'delivered' and ${UNTOUCHED} returning ${WRITTEN}),
    undelivered as (
      update webhook_delivery d set
        status = case when v.status = 'pending' and (e.disabled_at is not null or d.status = 'held')
          then 'held' else v.status end,
        attempts = d.attempts + 1,
        due_wall = coalesce(v.due_wall, d.due_wall), due_at = coalesce(v.due_at, d.due_at),
        finished_at = case when v.due_wall is null then v.at end
      from v
      cross join lateral (select disabled_at from webhook_endpoint where id = v.endpoint_id offset 0) e
      where v.status <> 'delivered' and ${UNTOUCHED} returning ${WRITTEN}),
    done as materialized (select * from delivered union all select * from undelivered),
    counted as (
      insert into webhook_tally as c (team_id, environment, bucket, endpoint_id, event_type, succeeded, failed)
      select team_id, environment, date_bin(${`${TALLY_MINUTES} minutes`}::interval, at, 'epoch'), endpoint_id,
        counted_type, count(*) filter (where error is null), count(*) filter (where error is not null)
      from done where counted_type is not null group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
      on conflict (team_id, environment, bucket, endpoint_id, event_type) do update
        set succeeded = c.succeeded + excluded.succeeded, failed = c.failed + excluded.failed),
    noted as (
      insert into webhook_attempt (team_id, environment, id, endpoint_id, event_id, attempt, at, status_code,
        error, duration_ms, exchange)
      select team_id, environment, attempt_id, endpoint_id, event_id, attempts_before + 1, at, status_code, error,
        duration_ms, substring(${Buffer.concat(exchanges)}::bytea from exchange_from for exchange_length)
      from done)
    select id from done`.execute(tx);
  return new Set(written.map(({ id }) => id));
}

/** A message \`d\` that has not changed since the claim. */
const UNTOUCHED = sql`d.team_id = v.team_id and d.environment = v.environment and d.id = v.id
  and d.status in ('pending', 'held') and d.attempts = v.attempts_before`;

const WRITTEN = sql`d.team_id, d.environment, d.id, d.endpoint_id, d.event_id, v.counted_type, v.attempts_before,
  v.at, v.attempt_id, v.status_code, v.error, v.duration_ms, v.exchange_from, v.exchange_length`;
