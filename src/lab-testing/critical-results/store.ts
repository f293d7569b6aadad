import { sql, type Insertable, type Selectable } from 'kysely';
import { eventData } from '../../events/events.ts';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import type { CriticalPrivate, CriticalRow, Notification, NotificationPrivate } from './record.ts';
import type { CriticalResultStatus } from './status.ts';
import './table.ts';

const PLACE = 'critical_result.private';
const TOLD_PLACE = 'critical_result_notification.private';

/** What an event of this tenant says, or undefined when it was erased. */
export async function findEventData(work: Work, eventId: string): Promise<unknown> {
  const row = await work.tx
    .selectFrom('event')
    .select(['event_type', 'team_id', 'user_id', 'client_user_id', 'data'])
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('id', '=', eventId)
    .executeTakeFirst();
  return row && eventData(work, row);
}

/** Lets one at a time look for critical results of an order; false when it is gone. */
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

export interface CriticalVersion {
  readonly version: number;
  readonly created_at: Date;
}

/** The versions of an order's results that are critical and have no record, oldest first. */
export const listUnrecorded = ({ tx, tenant }: Work, orderId: string): Promise<CriticalVersion[]> =>
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

type NewCritical = Omit<
  Insertable<Database['critical_result']>,
  'team_id' | 'environment' | 'private' | 'created_at' | 'updated_at'
> & { readonly private: CriticalPrivate };

export async function insertCritical(work: Work, row: NewCritical): Promise<void> {
  await work.tx
    .insertInto('critical_result')
    .values({
      ...tenantColumns(work.tenant),
      ...row,
      private: work.cipher.seal(JSON.stringify(row.private), PLACE),
      created_at: work.now,
      updated_at: work.now,
    })
    .execute();
}

const records = ({ tx, tenant }: Work) =>
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

/** Those of a user in the grace period of a deletion are not shown. */
const shown = (work: Work) => records(work).where(sql<boolean>`o.listed`);

const opened = (
  { cipher }: Work,
  row: Selectable<Database['critical_result']> & { latest_version: number },
): CriticalRow => ({ ...row, private: JSON.parse(cipher.open(row.private, PLACE)) });

export async function findCritical(work: Work, id: string): Promise<CriticalRow | undefined> {
  const row = await shown(work).where('c.id', '=', id).executeTakeFirst();
  return row && opened(work, row);
}

/** The record, shown or not, for one who changes it; others wait until this work is done. */
export async function lockCritical(work: Work, id: string): Promise<CriticalRow | undefined> {
  const row = await records(work).where('c.id', '=', id).forUpdate('c').executeTakeFirst();
  return row && opened(work, row);
}

export interface CriticalPage {
  readonly status: CriticalResultStatus | undefined;
  readonly limit: number;
  /** The last one that was read. */
  readonly after: { readonly detectedAt: Date; readonly id: string } | undefined;
}

/** Newest first. */
export async function listCritical(
  work: Work,
  { status, limit, after }: CriticalPage,
): Promise<CriticalRow[]> {
  const rows = await shown(work)
    .$if(status !== undefined, (q) => q.where('c.status', '=', status ?? 'open'))
    .$if(after !== undefined, (q) =>
      q.where(sql<boolean>`(c.detected_at, c.id) < (${after?.detectedAt}, ${after?.id}::uuid)`),
    )
    .orderBy('c.detected_at', 'desc')
    .orderBy('c.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => opened(work, row));
}

/** Of one order, oldest first: there are as many as its results had versions, at most. */
export async function listOfOrder(work: Work, orderId: string): Promise<CriticalRow[]> {
  const rows = await records(work).where('c.order_id', '=', orderId).orderBy('c.version').execute();
  return rows.map((row) => opened(work, row));
}

export async function moveCritical(
  { tx, tenant, now }: Work,
  id: string,
  change: Partial<Pick<CriticalRow, 'status' | 'escalated_at' | 'acknowledged_at'>>,
): Promise<void> {
  await tx
    .updateTable('critical_result')
    .set({ ...change, updated_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}

/** Who was told of these records, oldest first. */
export async function listNotifications(work: Work, ids: readonly string[]): Promise<Notification[]> {
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
  return rows.map((row) => ({ ...row, private: JSON.parse(work.cipher.open(row.private, TOLD_PLACE)) }));
}

type NewNotification = Pick<
  Notification,
  'critical_result_id' | 'id' | 'channel' | 'notified_at' | 'private'
>;

export async function insertNotification(work: Work, row: NewNotification): Promise<void> {
  await work.tx
    .insertInto('critical_result_notification')
    .values({
      ...tenantColumns(work.tenant),
      ...row,
      private: work.cipher.seal(JSON.stringify(row.private), TOLD_PLACE),
      read_back: null,
      read_back_at: null,
      created_at: work.now,
    })
    .execute();
}

export async function answerNotification(
  work: Work,
  told: Pick<Notification, 'critical_result_id' | 'id'>,
  answer: { read_back: boolean; read_back_at: Date; private: NotificationPrivate },
): Promise<void> {
  await work.tx
    .updateTable('critical_result_notification')
    .set({ ...answer, private: work.cipher.seal(JSON.stringify(answer.private), TOLD_PLACE) })
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('critical_result_id', '=', told.critical_result_id)
    .where('id', '=', told.id)
    .execute();
}
