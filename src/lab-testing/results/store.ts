import type { LabReport } from '../../adapters/lab-network/port.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';

const PLACE = 'lab_result.document';

export interface StoredReport extends LabReport {
  readonly version: number;
  readonly interpretation: 'normal' | 'abnormal' | 'critical' | 'unknown';
}

/** Keeps a further version of the order's results; the order's own lock on its step keeps two from being one. */
export async function insertReport(
  work: Work,
  orderId: string,
  report: LabReport & Pick<StoredReport, 'interpretation'>,
): Promise<void> {
  const { reportedAt, status, interpretation, ...rest } = report;
  const latest = await latestVersion(work, orderId);
  await work.tx
    .insertInto('lab_result')
    .values({
      ...tenantColumns(work.tenant),
      order_id: orderId,
      version: latest + 1,
      status,
      interpretation,
      document: work.cipher.seal(JSON.stringify(rest), PLACE),
      reported_at: reportedAt,
      created_at: work.now,
    })
    .execute();
}

async function latestVersion(work: Work, orderId: string): Promise<number> {
  const row = await rows(work, orderId).select('version').executeTakeFirst();
  return row?.version ?? 0;
}

const rows = ({ tx, tenant }: Work, orderId: string) =>
  tx
    .selectFrom('lab_result')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('order_id', '=', orderId)
    .orderBy('version', 'desc')
    .limit(1);

/** The newest version, or the one asked for. */
export async function findReport(
  work: Work,
  orderId: string,
  version?: number,
): Promise<StoredReport | undefined> {
  const row = await rows(work, orderId)
    .selectAll()
    .$if(version !== undefined, (q) => q.where('version', '=', version ?? 0))
    .executeTakeFirst();
  if (!row) return undefined;
  const document = JSON.parse(work.cipher.open(row.document, PLACE));
  return {
    ...document,
    status: row.status,
    interpretation: row.interpretation,
    reportedAt: row.reported_at,
    version: row.version,
  };
}
