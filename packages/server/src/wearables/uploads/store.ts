import type { Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import { tenantColumns, toTenant } from '../../platform/db/tenant-rows.ts';
import { openLeasedQueue, type LeaseUpdate } from '../../platform/jobs/leased-queue.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { FileKind } from '../files/files.ts';
import type { UploadStatus } from './status.ts';
import './table.ts';

export type UploadRow = Omit<
  Selectable<Database['wearable_upload']>,
  'team_id' | 'environment' | 'lease_id' | 'leased_until' | 'tries'
>;

// prettier-ignore
const COLUMNS = [
  'w.id', 'w.user_id', 'w.status', 'w.kind', 'w.bytes', 'w.progress', 'w.outcome', 'w.created_at', 'w.updated_at',
] as const;

/** An upload of a user who is not deleted. */
export const findUpload = (
  { tx, tenant }: Work,
  { userId, id }: { userId: string; id: string },
): Promise<UploadRow | undefined> =>
  tx
    .selectFrom('wearable_upload as w')
    .innerJoin('app_user as u', (join) =>
      join
        .onRef('u.team_id', '=', 'w.team_id')
        .onRef('u.environment', '=', 'w.environment')
        .onRef('u.id', '=', 'w.user_id'),
    )
    .select(COLUMNS)
    .where('w.team_id', '=', tenant.teamId)
    .where('w.environment', '=', tenant.environment)
    .where('w.id', '=', id)
    .where('w.user_id', '=', userId)
    .where('u.deleted_at', 'is', null)
    .executeTakeFirst();

/** The upload, locked until the transaction ends. */
export const lockUpload = ({ tx, tenant }: Work, id: string): Promise<UploadRow | undefined> =>
  tx
    .selectFrom('wearable_upload as w')
    .select(COLUMNS)
    .where('w.team_id', '=', tenant.teamId)
    .where('w.environment', '=', tenant.environment)
    .where('w.id', '=', id)
    .forUpdate()
    .executeTakeFirst();

interface NewUpload {
  readonly id: string;
  readonly userId: string;
  readonly kind: FileKind;
  readonly bytes: number;
}

export async function insertUpload({ tx, tenant, now }: Work, upload: NewUpload): Promise<void> {
  await tx
    .insertInto('wearable_upload')
    .values({
      ...tenantColumns(tenant),
      id: upload.id,
      user_id: upload.userId,
      status: 'received',
      kind: upload.kind,
      bytes: upload.bytes,
      progress: 0,
      outcome: null,
      lease_id: null,
      leased_until: null,
      tries: 0,
      created_at: now,
      updated_at: now,
    })
    .execute();
}

interface UploadUpdate {
  readonly status: UploadStatus;
  readonly progress?: number;
  readonly outcome?: Buffer;
}

export async function updateUpload({ tx, tenant, now }: Work, id: string, move: UploadUpdate): Promise<void> {
  await tx
    .updateTable('wearable_upload')
    .set({ ...move, updated_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}

/** An update of the lease, with the progress. */
interface UploadLeaseUpdate extends LeaseUpdate {
  /** Thousandths. */
  readonly progress?: number;
}

/** The queue of uploads to be read or being read. */
export const { countWaiting, claimNext, changeLease } = openLeasedQueue<UploadLeaseUpdate>(
  'wearable_upload',
  ['received', 'reading'],
);

/** The tenant of a user. User ids are unique across tenants. */
export async function findTenantOfUser(tx: Tx, userId: string): Promise<Tenant | undefined> {
  const row = await tx
    .selectFrom('app_user')
    .select(['team_id', 'environment'])
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row && toTenant(row);
}
