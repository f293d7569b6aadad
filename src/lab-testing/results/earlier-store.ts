import { sql } from 'kysely';
import type { ReportedResult } from '../../adapters/lab-network/port.ts';
import type { Work } from '../../platform/work.ts';
import { opened, type StoredRow } from './store.ts';

export interface Earlier {
  readonly userId: string;
  /** Reports of before this moment. */
  readonly before: Date;
  /** Orders that are not earlier ones. */
  readonly except: readonly string[];
  /** So many orders at most, the newest. */
  readonly limit: number;
}

export interface EarlierReport {
  readonly reportedAt: Date;
  readonly results: readonly ReportedResult[];
}

/** The newest orders of a user are looked at, not all of a long life: some of them may have been reported on later. */
const LOOKED_AT = 4;

/** What was reported of a user's earlier orders, each in its newest version of then, the oldest first; one query. */
export async function listEarlierReports(
  work: Work,
  { userId, before, except, limit }: Earlier,
): Promise<EarlierReport[]> {
  const { tx, tenant } = work;
  const { rows } = await sql<StoredRow>`
    select r.version, r.status, r.interpretation, r.document, r.printed, r.reported_at
    from (
      select o.team_id, o.environment, o.id from lab_order o
      where o.team_id = ${tenant.teamId} and o.environment = ${tenant.environment} and o.user_id = ${userId}
        and o.interpretation is not null and not (o.id = any(${[...except]}::uuid[]))
      order by o.created_at desc limit ${limit * LOOKED_AT}
    ) as o
    cross join lateral (
      select v.* from lab_result v
      where v.team_id = o.team_id and v.environment = o.environment and v.order_id = o.id
        and v.reported_at < ${before}
      order by v.version desc limit 1
    ) as r
    order by r.reported_at desc limit ${limit}`.execute(tx);
  return rows.toReversed().map((row) => opened(work, row));
}
