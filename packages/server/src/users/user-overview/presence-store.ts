import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';

interface UserPresence {
  readonly has_demographics: boolean;
  readonly has_primary_insurance: boolean;
  readonly has_secondary_insurance: boolean;
  readonly has_orders: boolean;
  readonly has_results: boolean;
  readonly has_lab_reports: boolean;
  readonly has_connections: boolean;
}

/** What there is of a user. Each part is answered by the first row of an index. */
export async function readPresence({ tx, tenant }: Work, userId: string): Promise<UserPresence> {
  const of = sql`team_id = ${tenant.teamId} and environment = ${tenant.environment} and user_id = ${userId}`;
  const { rows } = await sql<UserPresence>`
    select exists (select from user_info where ${of}) as has_demographics,
      exists (select from health_insurance where ${of} and is_primary and replaced_at is null) as has_primary_insurance,
      exists (select from health_insurance where ${of} and not is_primary and replaced_at is null)
        as has_secondary_insurance,
      exists (select from lab_order where ${of} and listed) as has_orders,
      exists (select from lab_order where ${of} and listed and interpretation is not null) as has_results,
      exists (select from lab_report_job where ${of}) as has_lab_reports,
      exists (select from connection where ${of} and removed_at is null) as has_connections`.execute(tx);
  const [presence] = rows;
  if (!presence) throw new Error('A query of exists has one row');
  return presence;
}
