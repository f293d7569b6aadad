import type { components } from '../api/openapi.d.ts';

export type Appointment = components['schemas']['ClientFacingAppointment'];
type Order = components['schemas']['ClientFacingOrder'];

export interface OrderToVisit {
  readonly order: Order;
  readonly kind: 'home' | 'center';
}

/** Laboratories whose patient service centers can be booked. */
const BOOKING_LABS = ['quest', 'sonora_quest'] as const;
type BookingLab = (typeof BOOKING_LABS)[number];

export const bookingLabOf = ({ lab_test: { lab } }: Order): BookingLab | undefined =>
  BOOKING_LABS.find((slug) => slug === lab?.slug);

/** Where the visit is: at the patient's home, at a center of the laboratory, or nowhere. */
export function kindOf(order: Order): OrderToVisit['kind'] | undefined {
  if (order.details.type === 'at_home_phlebotomy') return 'home';
  return order.details.type === 'walk_in_test' ? 'center' : undefined;
}

/** The appointment of an order; a walk-in without a booking has none. */
export function appointmentIdOf({ details }: Order): string | null {
  const data = details.data as { appointment_id?: string | null } | null;
  return data?.appointment_id ?? null;
}

/** The time of a visit on the clock of its place, which is what the patient sees: "Mon, Nov 30, 7:00 – 8:00 AM PST". */
export function placeTime({
  start_at: start,
  end_at: end,
  iana_timezone: zone,
}: Pick<Appointment, 'start_at' | 'end_at' | 'iana_timezone'>): string | null {
  if (start === null) return null;
  return timeRange(start, end, zone);
}

export function timeRange(start: string, end: string | null, zone: string | null): string {
  const options: Intl.DateTimeFormatOptions = {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
    ...(zone === null ? {} : { timeZone: zone }),
  };
  const format = new Intl.DateTimeFormat(undefined, options);
  return end === null ? format.format(new Date(start)) : format.formatRange(new Date(start), new Date(end));
}
