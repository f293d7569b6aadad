import { listPatients } from '../../ordering/orders/orders.ts';
import { readSortedPage, timedPositions, type TimedPosition } from '../../platform/http/page.ts';
import type { Work } from '../../platform/work.ts';
import type { AppointmentListQuery } from './calendar-schema.ts';
import {
  listByStart,
  type AppointmentOfList,
  type CalendarFilter,
  type CalendarRow,
} from './calendar-store.ts';
import { APPOINTMENT_STATES, APPOINTMENT_TYPES } from './status.ts';

interface AppointmentPage {
  readonly items: AppointmentOfList[];
  readonly next_cursor: string | null;
}

/** The appointments of the tenant by start, those without a time last. 422 for an invalid cursor. */
export async function listAppointments(work: Work, query: AppointmentListQuery): Promise<AppointmentPage> {
  const { items, next_cursor } = await readSortedPage(query, timedPositions, (page) =>
    readRows(work, query, page),
  );
  const patients = await listPatients(
    work,
    items.map(({ order_id: orderId }) => orderId),
  );
  const patientOf = new Map(patients.map(({ id, patient }) => [id, patient]));
  return {
    items: items.map((row) => ({ ...row, patient: patientOf.get(row.order_id) ?? null })),
    next_cursor,
  };
}

async function readRows(
  work: Work,
  query: AppointmentListQuery,
  { after, limit }: { after: TimedPosition | undefined; limit: number },
): Promise<CalendarRow[]> {
  const filter: CalendarFilter = {
    types: query.type == null ? APPOINTMENT_TYPES : [query.type],
    statuses: query.status ?? APPOINTMENT_STATES,
    from: query.from == null ? undefined : new Date(query.from),
    to: query.to == null ? undefined : new Date(query.to),
  };
  const isInUntimed = after?.at === null;
  const timed =
    query.has_time === false || isInUntimed
      ? []
      : await listByStart(work, { ...filter, hasTime: true, after, limit });
  const hasUntimed = query.has_time !== true && query.from == null && query.to == null;
  if (!hasUntimed || timed.length === limit) return timed;
  const rest = { after: isInUntimed ? after : undefined, limit: limit - timed.length };
  return [...timed, ...(await listByStart(work, { ...filter, hasTime: false, ...rest }))];
}
