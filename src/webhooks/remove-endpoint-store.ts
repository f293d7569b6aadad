import { sql } from 'kysely';
import type { Work } from '../platform/work.ts';
import './table.ts';

const OF_ENDPOINT = [
  'webhook_delivery',
  'webhook_bundle',
  'webhook_attempt',
  'webhook_attempt_block',
] as const;

/**
 * Removes a part of an endpoint's messages and attempts, so many of each kind, and answers whether there may be more.
 * What somebody has in their hands goes with the endpoint.
 */
export async function removePart(
  { tx, tenant }: Work,
  { endpointId, limit }: { endpointId: string; limit: number },
): Promise<boolean> {
  const mine = sql`team_id = ${tenant.teamId} and environment = ${tenant.environment}`;
  const removed = await Promise.all(
    OF_ENDPOINT.map((table) =>
      sql`
        with part as materialized (
          select id from ${sql.table(table)} where ${mine} and endpoint_id = ${endpointId}
          limit ${limit} for update skip locked)
        delete from ${sql.table(table)} where ${mine} and id = any(array(select id from part))`.execute(tx),
    ),
  );
  return removed.some(({ numAffectedRows }) => numAffectedRows === BigInt(limit));
}

/** Removes it with the messages that are left, and then, when none can be recorded any more, its attempts. */
export async function deleteEndpoint({ tx, tenant }: Work, id: string): Promise<void> {
  await tx
    .deleteFrom('webhook_endpoint')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
  for (const table of ['webhook_attempt', 'webhook_attempt_block'] as const) {
    await tx
      .deleteFrom(table)
      .where('team_id', '=', tenant.teamId)
      .where('environment', '=', tenant.environment)
      .where('endpoint_id', '=', id)
      .execute();
  }
}
