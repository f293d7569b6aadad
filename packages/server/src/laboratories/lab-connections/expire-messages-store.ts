import { sql } from 'kysely';
import {
  NOTHING_REMOVED,
  type Removal,
  type RemovalStep,
  type RemovedCount,
} from '../../platform/db/removal.ts';
import type { Work } from '../../platform/work.ts';
import { sealBody } from './message-sealing.ts';
import './table.ts';

/**
 * Removes the bodies of old messages; what is known about them stays, so that a repeated message is recognized. Messages
 * that are not processed, not accepted, or whose report waits for a review or a kit stay as they are.
 */
export async function expireMessages(
  { tx, tenant: { teamId, environment }, cipher, now }: Work,
  { before, limit }: RemovalStep,
): Promise<Removal> {
  const { rows } = await sql<RemovedCount>`
    with undecided as materialized (
      select message_id from incoming_result
      where team_id = ${teamId} and environment = ${environment} and review_opened_at is not null
        and status in ('pending_customer_review', 'pending_ops_review')
      union all
      select message_id from incoming_result
      where team_id = ${teamId} and environment = ${environment} and awaits_kit is not null),
    old as (
      select m.id from lab_message m
      where m.team_id = ${teamId} and m.environment = ${environment}
        and (m.redaction is null or m.redaction = 'parts') and m.created_at < ${before}
        and m.status in ('taken', 'accepted')
        and not exists (select from undecided u where u.message_id = m.id::text)
      order by m.created_at, m.id limit ${limit}),
    gone as (
      update lab_message m set body = ${sealBody(cipher, Buffer.alloc(0))}, size_bytes = 0, redacted_at = ${now},
        redaction = 'expired'
      from old where m.team_id = ${teamId} and m.environment = ${environment} and m.id = old.id
      returning m.created_at)
    select count(*)::int as deleted, min(created_at) as oldest, max(created_at) as newest from gone`.execute(
    tx,
  );
  const removed = rows[0] ?? NOTHING_REMOVED;
  return { ...removed, next: removed.deleted === limit ? 'more' : null };
}
