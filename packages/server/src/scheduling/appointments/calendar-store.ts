import { sql } from 'kysely';
import type { TimedPosition } from '../../platform/http/page.ts';
import type { Work } from '../../platform/work.ts';
import type { PatientDetails } from '../../people/schema.ts';
import type { AppointmentColumns, AppointmentPrivate } from './appointment.ts';
import type { AppointmentState, AppointmentType } from './status.ts';
import { openAppointmentPrivate } from './store.ts';

export interface CalendarFilter {
  readonly types: readonly AppointmentType[];
  readonly statuses: readonly AppointmentState[];
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** A part of a sorted list: appointments with a time, or those without one. */
interface CalendarPart extends CalendarFilter {
  readonly hasTime: boolean;
  readonly after: TimedPosition | undefined;
  readonly limit: number;
}

// prettier-ignore
type ListColumns = Pick<AppointmentColumns, 'id' | 'order_id' | 'user_id' | 'type' | 'provider' | 'kind' | 'status'
  | 'start_at' | 'end_at' | 'time_zone' | 'errand'>;

export type CalendarRow = ListColumns & TimedPosition & { readonly private: AppointmentPrivate };
export type AppointmentOfList = CalendarRow & { readonly patient: PatientDetails | null };

/**
 * Reads each combination of type and status from its own range of the index `appointment_by_start`, up to the limit, so
 * that no filter makes a page expensive.
 */
export async function listByStart(work: Work, part: CalendarPart): Promise<CalendarRow[]> {
  const { tx, tenant } = work;
  const { from, to, after, hasTime, limit } = part;
  const range = hasTime
    ? sql`a.start_at is not null ${from ? sql`and a.start_at >= ${from}` : sql``}
        ${to ? sql`and a.start_at < ${to}` : sql``}
        ${after?.at ? sql`and (a.start_at, a.id) > (${after.at}, ${after.id}::uuid)` : sql``}`
    : sql`a.start_at is null ${after ? sql`and a.id > ${after.id}::uuid` : sql``}`;
  const { rows } = await sql<ListColumns & { private: Buffer }>`
    select found.* from unnest(${[...part.types]}::text[]) as t (type)
    cross join unnest(${[...part.statuses]}::text[]) as s (status)
    cross join lateral (
      select a.id, a.order_id, a.user_id, a.type, a.provider, a.kind, a.status, a.start_at, a.end_at, a.time_zone,
        a.errand, a.private
      from appointment a join app_user u on u.team_id = a.team_id and u.environment = a.environment
        and u.id = a.user_id and u.deleted_at is null
      where a.team_id = ${tenant.teamId} and a.environment = ${tenant.environment}
        and a.type = t.type and a.status = s.status and a.told_at is not null and ${range}
      order by a.start_at, a.id limit ${limit}) as found
    order by found.start_at, found.id limit ${limit}`.execute(tx);
  return rows.map((row) => ({
    ...row,
    at: row.start_at,
    private: openAppointmentPrivate(work, row.private),
  }));
}
