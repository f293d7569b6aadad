import { sql, type Selectable } from 'kysely';
import type { LabReport } from '../../adapters/lab-network/port.ts';
import type { Database } from '../../platform/db/database.ts';
import { insertRow } from '../../platform/db/insert-row.ts';
import { readyQuery } from '../../platform/db/ready-query.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { together } from '../../platform/together.ts';
import { defer, type Work } from '../../platform/work.ts';
import type { Ordered } from './ordered-test.ts';
import type {} from './table.ts';

export const PLACE = 'lab_result.document';

export interface StoredReport extends LabReport {
  readonly version: number;
  readonly interpretation: 'normal' | 'abnormal' | 'critical' | 'unknown';
  /** What the results answer, so that who reads them need not read the order's long snapshot; none in older ones. */
  readonly ordered?: Ordered;
}

const PRINTED = 'lab_result.printed';

interface Keeping {
  readonly orderId: string;
  readonly report: LabReport & Pick<StoredReport, 'interpretation' | 'ordered'>;
  /** The version so far, where it is known. */
  readonly latest: number | undefined;
  /** The text that answers it, but for what may still change. */
  readonly print: (report: StoredReport) => string;
}

/**
 * Keeps a further version of the order's results, and answers its number; the order's own lock keeps two from being
 * one.
 */
export async function insertReport(work: Work, { orderId, report, latest, print }: Keeping): Promise<number> {
  const { reportedAt, status, interpretation, ...rest } = report;
  const version = (latest ?? (await latestVersion(work, orderId))) + 1;
  const row = insertRow('lab_result', {
    ...tenantColumns(work.tenant),
    order_id: orderId,
    version,
    status,
    interpretation,
    document: work.cipher.seal(JSON.stringify(rest), PLACE),
    printed: work.cipher.seal(print({ ...report, version }), PRINTED),
    reported_at: reportedAt,
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

const COLUMNS = ['version', 'status', 'interpretation', 'document', 'reported_at'] as const;

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

type StoredRow = Pick<Selectable<Database['lab_result']>, (typeof COLUMNS)[number]>;

function opened({ cipher }: Work, row: StoredRow): StoredReport {
  const document = JSON.parse(cipher.open(row.document, PLACE));
  return {
    ...document,
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

const asPrinted = readyQuery((tx, one: Tenant & { orderId: string }) => versions(tx, one).select('printed'));
const numberedAsPrinted = readyQuery((tx, one: Tenant & { orderId: string; version: number }) =>
  versions(tx, one).select('printed').where('version', '=', one.version),
);

/** The printed text of a version; undefined where there is no such version, null where it was kept without. */
export async function findPrinted(
  { tx, tenant, cipher }: Work,
  orderId: string,
  version?: number,
): Promise<Buffer | null | undefined> {
  const one = { ...tenant, orderId };
  const [row] = await (version === undefined
    ? asPrinted(tx, one)
    : numberedAsPrinted(tx, { ...one, version }));
  if (!row) return undefined;
  return row.printed && cipher.openPiece(row.printed, PRINTED);
}
