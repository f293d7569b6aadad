import { sql, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { insertRow } from '../../platform/db/insert-row.ts';
import { readyQuery } from '../../platform/db/ready-query.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { together } from '../../platform/together.ts';
import { defer, type Work } from '../../platform/work.ts';
import { openReport } from './printed-report.ts';
import type { StoredReport } from './stored-report.ts';
import type {} from './table.ts';

const DOCUMENT = 'lab_result.document';
export const PRINTED = 'lab_result.printed';

interface Keeping {
  readonly orderId: string;
  readonly report: Omit<StoredReport, 'version'>;
  /** The version so far, where it is known. */
  readonly latest: number | undefined;
  readonly print: (report: StoredReport) => string;
}

/**
 * Keeps a further version of the order's results, and answers its number; the order's own lock keeps two from being
 * one.
 */
export async function insertReport(work: Work, { orderId, report, latest, print }: Keeping): Promise<number> {
  const version = (latest ?? (await latestVersion(work, orderId))) + 1;
  const row = insertRow('lab_result', {
    ...tenantColumns(work.tenant),
    order_id: orderId,
    version,
    status: report.status,
    interpretation: report.interpretation,
    document: null,
    printed: work.cipher.seal(print({ ...report, version }), PRINTED),
    reported_at: report.reportedAt,
    created_at: work.now,
  });
  defer(work, row);
  return version;
}

const latestVersion = async (work: Work, orderId: string): Promise<number> =>
  (await newest(work.tx, { ...work.tenant, orderId }))[0]?.version ?? 0;

const versions = (tx: Work['tx'], one: Tenant & { orderId: string }) =>
  tx
    .selectFrom('lab_result')
    .where('team_id', '=', one.teamId)
    .where('environment', '=', one.environment)
    .where('order_id', '=', one.orderId)
    .orderBy('version', 'desc')
    .limit(1);

const COLUMNS = ['version', 'status', 'interpretation', 'document', 'printed', 'reported_at'] as const;

const newest = readyQuery((tx, one: Tenant & { orderId: string }) => versions(tx, one).select(COLUMNS));
const numbered = readyQuery((tx, one: Tenant & { orderId: string; version: number }) =>
  versions(tx, one).select(COLUMNS).where('version', '=', one.version),
);

/** The newest version, or the one asked for. */
export async function findReport(
  work: Work,
  orderId: string,
  version?: number,
): Promise<StoredReport | undefined> {
  const one = { ...work.tenant, orderId };
  const [row] = await (version === undefined ? newest(work.tx, one) : numbered(work.tx, { ...one, version }));
  return row && opened(work, row);
}

export type StoredRow = Pick<Selectable<Database['lab_result']>, (typeof COLUMNS)[number]>;

/** An earlier version kept a report whole, beside its answer if there was one. */
export function opened({ cipher }: Work, row: StoredRow): StoredReport {
  if (row.document === null) {
    // The database keeps no row that has neither.
    return openReport(cipher.openPiece(row.printed ?? Buffer.alloc(0), PRINTED));
  }
  return {
    ...JSON.parse(cipher.open(row.document, DOCUMENT)),
    status: row.status,
    interpretation: row.interpretation,
    reportedAt: row.reported_at,
    version: row.version,
  };
}

const newestOfEach = readyQuery((tx, some: Tenant & { orderIds: readonly string[] }) =>
  tx
    .selectFrom('lab_result')
    .select(['order_id', ...COLUMNS])
    .where('team_id', '=', some.teamId)
    .where('environment', '=', some.environment)
    .where('order_id', '=', sql<string>`any(${some.orderIds}::uuid[])`)
    .distinctOn('order_id')
    .orderBy('order_id')
    .orderBy('version', 'desc'),
);

/** The newest version, for who takes many reports in one work. */
export const latestReport: (work: Work, orderId: string) => Promise<StoredReport | undefined> = together(
  async (work, orderIds: readonly string[]) => {
    const rows = await newestOfEach(work.tx, { ...work.tenant, orderIds });
    const reports = new Map(rows.map((row) => [row.order_id, opened(work, row)]));
    return orderIds.map((id) => reports.get(id));
  },
);
