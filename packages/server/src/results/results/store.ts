import { sql, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { insertRow } from '../../platform/db/insert-row.ts';
import { precompileQuery } from '../../platform/db/precompiled-query.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { createBatchLoader } from '../../platform/batch-loader.ts';
import { defer, type Work } from '../../platform/work.ts';
import { parseStoredReport } from './serialized-report.ts';
import type { StoredReport } from './stored-report.ts';
import { hideWithdrawnResults } from './withdrawn-results.ts';
import type {} from './table.ts';

const DOCUMENT_CONTEXT = 'lab_result.document';
export const SERIALIZED_CONTEXT = 'lab_result.printed';

interface NewReportVersion {
  readonly orderId: string;
  readonly report: Omit<StoredReport, 'version'>;
  /** The current version, if known. */
  readonly latest: number | undefined;
  readonly serialize: (report: StoredReport) => string;
}

/** Stores a new version of the order's results and returns its number. The caller must hold the order's row lock. */
export async function insertReport(
  work: Work,
  { orderId, report, latest, serialize }: NewReportVersion,
): Promise<number> {
  const version = (latest ?? (await latestVersion(work, orderId))) + 1;
  const row = insertRow('lab_result', {
    ...tenantColumns(work.tenant),
    order_id: orderId,
    version,
    status: report.status,
    interpretation: report.interpretation,
    document: null,
    printed: work.cipher.seal(serialize({ ...report, version }), SERIALIZED_CONTEXT),
    reported_at: report.reportedAt,
    created_at: work.now,
  });
  defer(work, row);
  return version;
}

const latestVersion = async (work: Work, orderId: string): Promise<number> =>
  (await newestVersionQuery(work.tx, { ...work.tenant, orderId }))[0]?.version ?? 0;

const selectVersions = (tx: Work['tx'], one: Tenant & { orderId: string }) =>
  tx
    .selectFrom('lab_result')
    .where('team_id', '=', one.teamId)
    .where('environment', '=', one.environment)
    .where('order_id', '=', one.orderId)
    .orderBy('version', 'desc')
    .limit(1);

const COLUMNS = ['version', 'status', 'interpretation', 'document', 'printed', 'reported_at'] as const;

const newestVersionQuery = precompileQuery((tx, one: Tenant & { orderId: string }) =>
  selectVersions(tx, one).select(COLUMNS),
);
const numberedVersionQuery = precompileQuery((tx, one: Tenant & { orderId: string; version: number }) =>
  selectVersions(tx, one).select(COLUMNS).where('version', '=', one.version),
);

/** The newest version, or the given one without values that were withdrawn since. */
export async function findReport(
  work: Work,
  orderId: string,
  version?: number,
): Promise<StoredReport | undefined> {
  const one = { ...work.tenant, orderId };
  const [[newest], [numbered]] = await Promise.all([
    newestVersionQuery(work.tx, one),
    version === undefined ? [] : numberedVersionQuery(work.tx, { ...one, version }),
  ]);
  if (!newest || (version !== undefined && !numbered)) return undefined;
  const report = openReportRow(work, newest);
  return numbered ? hideWithdrawnResults(openReportRow(work, numbered), report) : report;
}

export type LabResultRow = Pick<Selectable<Database['lab_result']>, (typeof COLUMNS)[number]>;

/** Decrypts a row. Earlier releases stored the whole report in `document`. */
export function openReportRow({ cipher }: Work, row: LabResultRow): StoredReport {
  if (row.document === null) {
    // A check constraint ensures that one of the two is set.
    return parseStoredReport(cipher.openChunk(row.printed ?? Buffer.alloc(0), SERIALIZED_CONTEXT));
  }
  return {
    ...JSON.parse(cipher.open(row.document, DOCUMENT_CONTEXT)),
    status: row.status,
    interpretation: row.interpretation,
    reportedAt: row.reported_at,
    version: row.version,
  };
}

const newestVersionsQuery = precompileQuery((tx, some: Tenant & { orderIds: readonly string[] }) =>
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

/** The newest version; calls within one transaction are batched into one query. */
export const latestReport: (work: Work, orderId: string) => Promise<StoredReport | undefined> =
  createBatchLoader(async (work, orderIds: readonly string[]) => {
    const rows = await newestVersionsQuery(work.tx, { ...work.tenant, orderIds });
    const reports = new Map(rows.map((row) => [row.order_id, openReportRow(work, row)]));
    return orderIds.map((id) => reports.get(id));
  });
