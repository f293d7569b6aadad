import { sql, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { newId } from '../../platform/ids.ts';
import type { Work } from '../../platform/work.ts';
import type { LabTestStatus } from './schema.ts';
import type {} from './table.ts';

type LabTestChangeRow = Selectable<Database['lab_test_change']>;

/** What happened, with name and status after it. */
type NewLabTestChange = Pick<LabTestChangeRow, 'action' | 'name' | 'status'> & {
  readonly at?: Date;
  /** False for what an earlier request did. */
  readonly isOfThisRequest?: boolean;
};

export async function insertChanges(
  { tx, tenant, now, requestId }: Work,
  labTestId: string,
  changes: readonly NewLabTestChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await tx
    .insertInto('lab_test_change')
    .values(
      changes.map(({ at = now, isOfThisRequest = true, ...change }) => ({
        ...tenantColumns(tenant),
        lab_test_id: labTestId,
        id: newId(),
        ...change,
        request_id: isOfThisRequest ? (requestId ?? null) : null,
        at,
      })),
    )
    .execute();
}

/** The newest changes of a lab test, newest first. */
export const listChanges = (
  { tx, tenant }: Work,
  labTestId: string,
  limit: number,
): Promise<LabTestChangeRow[]> =>
  tx
    .selectFrom('lab_test_change')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('lab_test_id', '=', labTestId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

interface LabTestVersionRow {
  readonly id: string;
  readonly name: string;
  readonly status: LabTestStatus;
  readonly version_of: string | null;
  readonly created_at: Date;
}

/** A lab test with all earlier and later versions of it, oldest first. `union` ends at what it has seen. */
export async function listVersions(
  { tx, tenant }: Work,
  labTestId: string,
  limit: number,
): Promise<LabTestVersionRow[]> {
  const { rows } = await sql<LabTestVersionRow>`
    with recursive own as (
      select id, name, status, version_of, created_at from lab_test
      where team_id = ${tenant.teamId} and environment = ${tenant.environment}),
    earlier as (
      select * from own where id = ${labTestId}
      union select own.* from own join earlier on own.id = earlier.version_of),
    chain as (
      select * from earlier
      union select own.* from own join chain on own.version_of = chain.id)
    select * from chain order by created_at, id limit ${limit}`.execute(tx);
  return rows;
}
