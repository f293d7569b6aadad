import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { kindOf, type Appointment, type OrderToVisit } from '../../components/appointment-data.ts';

/** A visit with the order that it is for. */
export interface Visit extends OrderToVisit {
  readonly appointment: Appointment | null;
}

export type OnVisitAction = ((action: 'book' | 'reschedule' | 'cancel', visit: Visit) => void) | undefined;

/**
 * The API lists orders, not appointments, so that the visit of each order is a request of its own. So many are read at
 * once; there are filters and a next page for more.
 */
export const VISITS_READ = 40;

const STATUSES = {
  planned: ['appointment_scheduled', 'appointment_pending'],
  cancelled: ['appointment_cancelled'],
} as const;
export type VisitView = keyof typeof STATUSES;

export function useVisits(view: VisitView, page: number) {
  const orders = useQuery({
    queryKey: ['get', '/v3/orders', { appointments: view, page }],
    queryFn: async () => {
      const { data } = await client.GET('/v3/orders', {
        params: {
          query: {
            status: [...STATUSES[view]],
            order_type: ['walk_in_test', 'at_home_phlebotomy'],
            page,
            size: VISITS_READ,
          },
        },
      });
      return { orders: data?.orders ?? [], total: data?.total ?? null };
    },
    placeholderData: keepPreviousData,
  });
  const rows = (orders.data?.orders ?? []).flatMap((order) => {
    const kind = kindOf(order);
    return kind === undefined ? [] : [{ order, kind }];
  });
  const answers = useQueries({ queries: rows.map(visitQuery) });
  const visits: Visit[] = rows.map((row, index) => ({ ...row, appointment: answers[index]?.data ?? null }));
  return { orders, visits, isPending: answers.some((answer) => answer.isPending) };
}

const visitQuery = ({ order, kind }: OrderToVisit) => ({
  queryKey: ['get', '/v3/order/{order_id}/appointment', order.id],
  queryFn: async (): Promise<Appointment | null> => {
    const options = { params: { path: { order_id: order.id } } };
    const { data } =
      kind === 'home'
        ? await client.GET('/v3/order/{order_id}/phlebotomy/appointment', options)
        : await client.GET('/v3/order/{order_id}/psc/appointment', options);
    return data === undefined || typeof data === 'string' ? null : data;
  },
});

/** The day of a visit at its place, as 2026-11-30; empty while there is no time. */
export function dayOf({ appointment }: Visit): string {
  if (appointment?.start_at == null) return '';
  return new Intl.DateTimeFormat('en-CA', {
    dateStyle: 'short',
    ...(appointment.iana_timezone === null ? {} : { timeZone: appointment.iana_timezone }),
  }).format(new Date(appointment.start_at));
}

const DAY_MS = 86_400_000;
const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The seven days of the week of a day, from Monday. */
export function weekOf(day: string): string[] {
  const time = Date.parse(`${day}T00:00:00Z`);
  const monday = time - ((new Date(time).getUTCDay() + 6) % 7) * DAY_MS;
  return Array.from({ length: 7 }, (_, index) => isoDay(monday + index * DAY_MS));
}

export const shiftWeek = (day: string, weeks: number): string =>
  isoDay(Date.parse(`${day}T00:00:00Z`) + weeks * 7 * DAY_MS);

/** Days are those of the places: no zone of the viewer may shift them. */
export const dayName = (day: string): string =>
  new Intl.DateTimeFormat(undefined, {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${day}T00:00:00Z`));
