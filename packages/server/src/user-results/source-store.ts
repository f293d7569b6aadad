import { sql } from 'kysely';
import { openReportExtraction, type ReportExtraction } from '../lab-reports/lab-reports.ts';
import { latestReport, type StoredReport } from '../results/results/results.ts';
import type { TimedPosition } from '../platform/http/page.ts';
import type { Work } from '../platform/work.ts';

interface ResultSourceRow {
  readonly kind: 'order' | 'lab_report';
  readonly id: string;
  /** When the order was placed or the report uploaded. */
  readonly at: Date;
  readonly test_name: string | null;
  readonly is_in_review: boolean;
  readonly data: Buffer | null;
}

export interface OrderSource extends TimedPosition {
  readonly kind: 'order';
  readonly at: Date;
  readonly testName: string | null;
  readonly report: StoredReport | undefined;
}

export interface UploadSource extends TimedPosition {
  readonly kind: 'lab_report';
  readonly at: Date;
  readonly isInReview: boolean;
  readonly extraction: ReportExtraction | null;
}

/** Where results of a user come from: an order, or a lab report that was uploaded. */
export type ResultSource = OrderSource | UploadSource;

interface SourcePage {
  readonly userId: string;
  /** Sources that are older than this one. */
  readonly after: TimedPosition | undefined;
  readonly limit: number;
}

/** The newest sources with results of a user, each kind from its own index, with what they contain: two queries. */
export async function listSources(work: Work, { userId, after, limit }: SourcePage): Promise<ResultSource[]> {
  const { tx, tenant } = work;
  const isOlder = (alias: string) =>
    after?.at
      ? sql`and (${sql.ref(`${alias}.created_at`)}, ${sql.ref(`${alias}.id`)}) < (${after.at}, ${after.id}::uuid)`
      : sql``;
  const { rows } = await sql<ResultSourceRow>`
    select * from (
      (select 'order' as kind, o.id, o.created_at as at, t.document->>'name' as test_name, false as is_in_review,
        null::bytea as data
      from lab_order o left join ordered_lab_test t on t.team_id = o.team_id and t.environment = o.environment
        and t.id = o.ordered_test_id
      where o.team_id = ${tenant.teamId} and o.environment = ${tenant.environment} and o.user_id = ${userId}
        and o.listed and o.interpretation is not null ${isOlder('o')}
      order by o.created_at desc, o.id desc limit ${limit})
      union all
      (select 'lab_report', j.id, j.created_at, null, j.status = 'pending_review', j.data
      from lab_report_job j
      where j.team_id = ${tenant.teamId} and j.environment = ${tenant.environment} and j.user_id = ${userId}
        and j.status in ('pending_review', 'completed') and j.data is not null ${isOlder('j')}
      order by j.created_at desc, j.id desc limit ${limit})
    ) as sources order by at desc, id desc limit ${limit}`.execute(tx);
  return Promise.all(rows.map((row) => openSource(work, row)));
}

async function openSource(work: Work, row: ResultSourceRow): Promise<ResultSource> {
  const { id, at } = row;
  if (row.kind === 'order')
    return { kind: 'order', id, at, testName: row.test_name, report: await latestReport(work, id) };
  return {
    kind: 'lab_report',
    id,
    at,
    isInReview: row.is_in_review,
    extraction: openReportExtraction(work, row),
  };
}
