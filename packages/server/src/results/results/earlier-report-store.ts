import { sql } from 'kysely';
import type { ReportedResult } from '../../adapters/lab-network/port.ts';
import type { Work } from '../../platform/work.ts';
import { openReportRow, type LabResultRow } from './store.ts';

interface EarlierReportsQuery {
  readonly userId: string;
  /** Only reports from before this time. */
  readonly before: Date;
  /** Orders to leave out. */
  readonly excludedOrderIds: readonly string[];
  /** The maximum number of orders; the newest are taken. */
  readonly limit: number;
}

export interface EarlierReport {
  readonly reportedAt: Date;
  readonly results: readonly ReportedResult[];
}

/** Scans this many orders per report asked for, not the full history: some were reported on only after `before`. */
const ORDERS_PER_REPORT = 4;

/** The reports of a user's earlier orders, each in its newest version before `before`; oldest first. One query. */
export async function listEarlierReports(
  work: Work,
  { userId, before, excludedOrderIds, limit }: EarlierReportsQuery,
): Promise<EarlierReport[]> {
  const { tx, tenant } = work;
  const { rows } = await sql<LabResultRow>`
    select r.version, r.status, r.interpretation, r.document, r.printed, r.reported_at
    from (
      select o.team_id, o.environment, o.id from lab_order o
      where o.team_id = ${tenant.teamId} and o.environment = ${tenant.environment} and o.user_id = ${userId}
        and o.interpretation is not null and not (o.id = any(${[...excludedOrderIds]}::uuid[]))
      order by o.created_at desc limit ${limit * ORDERS_PER_REPORT}
    ) as o
    cross join lateral (
      select v.* from lab_result v
      where v.team_id = o.team_id and v.environment = o.environment and v.order_id = o.id
        and v.reported_at < ${before}
      order by v.version desc limit 1
    ) as r
    order by r.reported_at desc limit ${limit}`.execute(tx);
  return rows.toReversed().map((row) => openReportRow(work, row));
}
