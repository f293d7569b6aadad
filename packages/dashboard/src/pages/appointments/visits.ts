import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import type { AppointmentAction } from '../../components/appointment-dialog.tsx';

/** An appointment of the list, with the name of its patient. */
export type Visit = components['schemas']['AppointmentListItem'];
export type OnVisitAction = ((action: AppointmentAction, visit: Visit) => void) | undefined;

export const STATUSES = [
  'pending',
  'reserved',
  'confirmed',
  'in_progress',
  'completed',
  'cancelled',
] as const satisfies readonly Visit['status'][];
const TYPES = ['phlebotomy', 'patient_service_center'] as const satisfies readonly Visit['type'][];

export interface VisitFilter {
  readonly statuses: readonly Visit['status'][];
  readonly type: Visit['type'] | undefined;
}

/** The filter in the URL. Without one, all appointments are shown that were not cancelled. */
export const toVisitFilter = ({ status, type }: Readonly<Record<string, string>>): VisitFilter => ({
  statuses: STATUSES.filter((one) =>
    status === undefined ? one !== 'cancelled' : one === status || status === 'all',
  ),
  type: TYPES.find((one) => one === type),
});

interface VisitRange {
  readonly from?: string;
  readonly to?: string;
  readonly hasTime?: boolean;
}

const PAGE = 200;
/** More than a calendar can show in a way that anybody reads; a day or the list has the rest. */
const SHOWN_MAX = 2000;

export async function fetchVisits({ statuses, type }: VisitFilter, range: VisitRange, cursor?: string) {
  const { data } = await client.GET('/v1/appointments', {
    params: {
      query: {
        status: [...statuses],
        ...(type === undefined ? {} : { type }),
        ...(range.from === undefined ? {} : { from: range.from }),
        ...(range.to === undefined ? {} : { to: range.to }),
        ...(range.hasTime === undefined ? {} : { has_time: range.hasTime }),
        ...(cursor === undefined ? {} : { next_cursor: cursor }),
        limit: PAGE,
      },
    },
  });
  return { rows: data?.data ?? [], next: data?.next_cursor ?? null };
}

/** Everything in a range, page after page. */
export const useVisits = (filter: VisitFilter, range: VisitRange) =>
  useQuery({
    queryKey: ['get', '/v1/appointments', filter, range],
    queryFn: async () => {
      const rows: Visit[] = [];
      let next: string | null = null;
      do {
        const page = await fetchVisits(filter, range, next ?? undefined);
        rows.push(...page.rows);
        next = page.next;
      } while (next !== null && rows.length < SHOWN_MAX);
      return { rows, isCut: next !== null };
    },
    placeholderData: keepPreviousData,
  });

/** A day and the minutes since its midnight, as a clock on a wall shows them. */
export interface ClockTime {
  readonly day: string;
  readonly minutes: number;
}

/** A time on the clock of a zone; without one, on that of the viewer. */
export function clockOf(time: string | number, zone: string | null): ClockTime {
  const timeZone = zone ?? undefined;
  const at = new Date(time);
  const [hours = 0, minutes = 0] = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone })
    .format(at)
    .split(':')
    .map(Number);
  const day = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone }).format(at);
  return { day, minutes: hours * 60 + minutes };
}

/** The zone of the places if it is the same for all of them; else null, for that of the viewer. */
export function zoneOf(visits: readonly Visit[]): string | null {
  const [first, ...others] = new Set(visits.map(({ iana_timezone: zone }) => zone));
  return others.length === 0 ? (first ?? null) : null;
}

/** The day of a visit at its place, as 2026-11-30; empty while there is no time. */
export const dayOf = ({ start_at: start, iana_timezone: timeZone }: Visit): string =>
  start === null ? '' : clockOf(start, timeZone).day;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);
const timeOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** The seven days of the week of a day, from Monday. */
export function weekOf(day: string): string[] {
  const time = timeOf(day);
  const monday = time - ((new Date(time).getUTCDay() + 6) % 7) * DAY_MS;
  return Array.from({ length: 7 }, (_, index) => isoDay(monday + index * DAY_MS));
}

export const shiftDays = (day: string, days: number): string => isoDay(timeOf(day) + days * DAY_MS);

/** The times that can be on these days anywhere: zones reach from 12 hours behind UTC to 14 hours ahead of it. */
export const rangeOfDays = (days: readonly string[]): { from: string; to: string } => ({
  from: new Date(timeOf(days[0] ?? '') - 14 * HOUR_MS).toISOString(),
  to: new Date(timeOf(days.at(-1) ?? '') + DAY_MS + 12 * HOUR_MS).toISOString(),
});

/** Days are those of the places: no zone of the viewer may shift them. */
export const dayName = (day: string): string =>
  new Intl.DateTimeFormat(undefined, {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${day}T00:00:00Z`));

export const visitorName = (visit: Visit): string =>
  [visit.patient_first_name, visit.patient_last_name].filter(Boolean).join(' ') || 'Unknown patient';

export const placeOf = ({ type, place }: Visit): string =>
  type === 'phlebotomy' ? `Home, ${place.city}` : `${place.name}, ${place.city}`;
