import { sql, type Insertable, type Selectable } from 'kysely';
import { openEventData } from '../../events/events.ts';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import type {
  CriticalResultPrivate,
  CriticalResultRow,
  CriticalResultNotification,
  CriticalNotificationPrivate,
} from './record.ts';
import type { CriticalResultStatus } from './status.ts';
import './table.ts';

const SEAL_CONTEXT = 'critical_result.private';
const NOTIFICATION_SEAL_CONTEXT = 'critical_result_notification.private';

/** The data of an event of this tenant; undefined if it was erased. */
export async function findEventData(work: Work, eventId: string): Promise<unknown> {
  const row = await work.tx
    .selectFrom('event')
    .select(['event_type', 'team_id', 'user_id', 'client_user_id', 'data'])
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('id', '=', eventId)
    .executeTakeFirst();
  return row && openEventData(work, row);
}

/** Locks the order, so that its critical results are recorded by one worker at a time; false if it is gone. */
export async function lockOrder({ tx, tenant }: Work, orderId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('lab_order')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', orderId)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

export interface CriticalResultVersion {
  readonly version: number;
  readonly created_at: Date;
}

/** The critical versions of an order's results without a record, oldest first. */
export const listUnrecordedVersions = (
  { tx, tenant }: Work,
  orderId: string,
): Promise<CriticalResultVersion[]> =>
  tx
    .selectFrom('lab_result')
    .select(['version', 'created_at'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('order_id', '=', orderId)
    .where('interpretation', '=', 'critical')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('critical_result as c')
            .select('c.id')
            .whereRef('c.team_id', '=', 'lab_result.team_id')
            .whereRef('c.environment', '=', 'lab_result.environment')
            .whereRef('c.order_id', '=', 'lab_result.order_id')
            .whereRef('c.version', '=', 'lab_result.version'),
        ),
      ),
    )
    .orderBy('version')
    .execute();

type NewCriticalResult = Omit<
  Insertable<Database['critical_result']>,
  'team_id' | 'environment' | 'private' | 'created_at' | 'updated_at'
> & { readonly private: CriticalResultPrivate };

export async function insertCriticalResult(work: Work, row: NewCriticalResult): Promise<void> {
  await work.tx
    .insertInto('critical_result')
    .values({
      ...tenantColumns(work.tenant),
      ...row,
      private: work.cipher.seal(JSON.stringify(row.private), SEAL_CONTEXT),
      created_at: work.now,
      updated_at: work.now,
    })
    .execute();
}

const selectCriticalResults = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('critical_result as c')
    .innerJoin('lab_order as o', (join) =>
      join
        .onRef('o.team_id', '=', 'c.team_id')
        .onRef('o.environment', '=', 'c.environment')
        .onRef('o.id', '=', 'c.order_id'),
    )
    .selectAll('c')
    .select(
      sql<number>`(select max(r.version) from lab_result r where r.team_id = c.team_id
        and r.environment = c.environment and r.order_id = c.order_id)`.as('latest_version'),
    )
    .where('c.team_id', '=', tenant.teamId)
    .where('c.environment', '=', tenant.environment);

/** Hides records of users in the grace period of a deletion. */
const selectVisible = (work: Work) => selectCriticalResults(work).where(sql<boolean>`o.listed`);

const unseal = (
  { cipher }: Work,
  row: Selectable<Database['critical_result']> & { latest_version: number },
): CriticalResultRow => ({ ...row, private: JSON.parse(cipher.open(row.private, SEAL_CONTEXT)) });

export async function findCriticalResult(work: Work, id: string): Promise<CriticalResultRow | undefined> {
  const row = await selectVisible(work).where('c.id', '=', id).executeTakeFirst();
  return row && unseal(work, row);
}

/** Locks the record for a change, visible or not, until the transaction ends. */
export async function lockCriticalResult(work: Work, id: string): Promise<CriticalResultRow | undefined> {
  const row = await selectCriticalResults(work).where('c.id', '=', id).forUpdate('c').executeTakeFirst();
  return row && unseal(work, row);
}

interface CriticalResultPageOptions {
  readonly status: CriticalResultStatus | undefined;
  readonly limit: number;
  /** The last record of the previous page. */
  readonly after: { readonly detectedAt: Date; readonly id: string } | undefined;
}

/** Newest first. */
export async function listCriticalResults(
  work: Work,
  { status, limit, after }: CriticalResultPageOptions,
): Promise<CriticalResultRow[]> {
  const rows = await selectVisible(work)
    .$if(status !== undefined, (q) => q.where('c.status', '=', status ?? 'open'))
    .$if(after !== undefined, (q) =>
      q.where(sql<boolean>`(c.detected_at, c.id) < (${after?.detectedAt}, ${after?.id}::uuid)`),
    )
    .orderBy('c.detected_at', 'desc')
    .orderBy('c.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => unseal(work, row));
}

/** All records of one order, oldest first; at most one per version of its results. */
export async function listOfOrder(work: Work, orderId: string): Promise<CriticalResultRow[]> {
  const rows = await selectCriticalResults(work)
    .where('c.order_id', '=', orderId)
    .orderBy('c.version')
    .execute();
  return rows.map((row) => unseal(work, row));
}

export async function existsOpenOfUser(work: Work, userId: string): Promise<boolean> {
  const row = await selectCriticalResults(work)
    .where('c.status', '!=', 'acknowledged')
    .where(sql<boolean>`o.user_id = ${userId}`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function updateCriticalResult(
  { tx, tenant, now }: Work,
  id: string,
  change: Partial<Pick<CriticalResultRow, 'status' | 'escalated_at' | 'acknowledged_at'>>,
): Promise<void> {
  await tx
    .updateTable('critical_result')
    .set({ ...change, updated_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}

/** The notifications of these records, oldest first. */
export async function listNotifications(
  work: Work,
  ids: readonly string[],
): Promise<CriticalResultNotification[]> {
  if (ids.length === 0) return [];
  const rows = await work.tx
    .selectFrom('critical_result_notification')
    .selectAll()
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('critical_result_id', 'in', [...ids])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    ...row,
    private: JSON.parse(work.cipher.open(row.private, NOTIFICATION_SEAL_CONTEXT)),
  }));
}

type NewCriticalNotification = Pick<
  CriticalResultNotification,
  'critical_result_id' | 'id' | 'channel' | 'notified_at' | 'private'
>;

export async function insertNotification(work: Work, row: NewCriticalNotification): Promise<void> {
  await work.tx
    .insertInto('critical_result_notification')
    .values({
      ...tenantColumns(work.tenant),
      ...row,
      private: work.cipher.seal(JSON.stringify(row.private), NOTIFICATION_SEAL_CONTEXT),
      read_back: null,
      read_back_at: null,
      created_at: work.now,
    })
    .execute();
}

export async function recordNotificationReadBack(
  work: Work,
  told: Pick<CriticalResultNotification, 'critical_result_id' | 'id'>,
  answer: { read_back: boolean; read_back_at: Date; private: CriticalNotificationPrivate },
): Promise<void> {
  await work.tx
    .updateTable('critical_result_notification')
    .set({ ...answer, private: work.cipher.seal(JSON.stringify(answer.private), NOTIFICATION_SEAL_CONTEXT) })
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('critical_result_id', '=', told.critical_result_id)
    .where('id', '=', told.id)
    .execute();
}
