import type {
  BookingResult,
  ProviderVisit,
  SchedulingProvider,
  SlotBookingRequest,
  VisitLocation,
  VisitRequest,
} from '../../adapters/scheduling/port.ts';
import type { App } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { Order } from '../../ordering/orders/orders.ts';
import type { Appointment } from './appointment.ts';
import type { AppointmentWithOrder } from './view.ts';

/** The provider with this name; 503 if it is not connected. */
export function requireProvider(app: App, tenant: Tenant, name: Appointment['provider']): SchedulingProvider {
  const provider = app.schedulingProviders[tenant.environment][name];
  if (!provider) {
    throw new DomainError('unavailable', `The provider ${name} is not connected in ${tenant.environment}`);
  }
  return provider;
}

/** The outcome of a provider call: answered, refused with nothing booked, or unknown. */
export type ProviderOutcome =
  | { readonly is: 'answered'; readonly visit: ProviderVisit }
  | { readonly is: 'refused'; readonly error: DomainError }
  /** Timed out or unreachable. The provider may still have carried out the request. */
  | { readonly is: 'unknown'; readonly retryAfterSeconds?: number | undefined };

export const SLOT_TAKEN = 'This appointment slot is no longer available. Please select a new time.';

/** Waits for the provider until the timeout. A later answer is found by polling. */
export async function awaitOutcome(
  asking: Promise<BookingResult>,
  patienceMs: number,
): Promise<ProviderOutcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, patienceMs, 'late');
  });
  // Prevents an unhandled rejection if the call fails after the timeout.
  asking.catch(() => {});
  try {
    return toOutcome(await Promise.race([asking, late]));
  } catch (error) {
    return toFailedOutcome(error);
  } finally {
    clearTimeout(timer);
  }
}

function toOutcome(answer: BookingResult | 'late'): ProviderOutcome {
  if (answer === 'late') return { is: 'unknown' };
  if (answer === 'taken') return { is: 'refused', error: new DomainError('bad_request', SLOT_TAKEN) };
  if (answer.status !== 'cancelled') return { is: 'answered', visit: answer };
  const why = answer.said === null ? '' : `: ${answer.said}`;
  return {
    is: 'refused',
    error: new DomainError('bad_request', `The provider rejected the appointment${why}`),
  };
}

function toFailedOutcome(error: unknown): ProviderOutcome {
  if (!(error instanceof DomainError)) throw error;
  const { retryAfterSeconds } = error;
  return isProviderUnreachable(error) ? { is: 'unknown', retryAfterSeconds } : { is: 'refused', error };
}

/** Whether the provider is unreachable or overloaded. Any other failure is a refusal. */
export const isProviderUnreachable = ({ kind }: DomainError): boolean =>
  kind === 'unavailable' || kind === 'too_many';

/** Sends the booking or request that the appointment's row describes. Idempotent by appointment id. */
export function sendBooking(
  provider: SchedulingProvider,
  visit: AppointmentWithOrder,
  now: Date,
): Promise<BookingResult> {
  const { appointment } = visit;
  const { place, slotId, notes } = appointment.private;
  const wish = toVisitRequest(visit, { place, notes, now });
  if (appointment.kind === 'request') return provider.request(wish);
  return provider.book({ ...wish, slot: slotOf(appointment, slotId) });
}

/** Sends the reschedule that the appointment's row describes. */
export function sendReschedule(
  provider: SchedulingProvider,
  visit: AppointmentWithOrder,
  now: Date,
): Promise<BookingResult> {
  const { wish, provider_id: providerId } = visit.appointment;
  if (!wish) throw new Error(`Appointment ${visit.appointment.id} is not to be moved`);
  const { place, notes, slotId, startAt, endAt } = wish;
  const slot = { slotId, startAt: new Date(startAt), endAt: new Date(endAt) };
  return provider.reschedule({ ...toVisitRequest(visit, { place, notes, now }), slot, providerId });
}

function slotOf({ id, start_at, end_at }: Appointment, slotId: string | null): SlotBookingRequest['slot'] {
  if (slotId === null || !start_at || !end_at) throw new Error(`Appointment ${id} has no slot`);
  return { slotId, startAt: start_at, endAt: end_at };
}

interface VisitDetails {
  readonly place: VisitLocation;
  readonly notes: string | null;
  readonly now: Date;
}

function toVisitRequest({ order, appointment }: AppointmentWithOrder, where: VisitDetails): VisitRequest {
  const { patient } = order.private;
  return {
    appointmentId: appointment.id,
    orderId: order.id,
    patient: {
      firstName: patient?.first_name ?? '',
      lastName: patient?.last_name ?? '',
      dob: patient?.dob ?? '',
      gender: patient?.gender ?? 'unknown',
      phone: patient?.phone_number ?? null,
      email: patient?.email ?? null,
    },
    reserveOnly: appointment.until_requisition,
    ...where,
  };
}

/** The patient's home as a visit location: the order's address with its access notes. */
export function toHomeLocation(
  order: Order,
  home: Pick<VisitLocation, 'point' | 'timeZone'>,
): VisitLocation | undefined {
  const { address } = order.private;
  if (!address) return undefined;
  return {
    code: address.zip.slice(0, 5),
    name: 'Home',
    address: {
      firstLine: address.first_line,
      secondLine: address.second_line ?? null,
      city: address.city,
      state: address.state,
      zip: address.zip,
      accessNotes: address.access_notes ?? null,
    },
    point: home.point,
    timeZone: home.timeZone,
    hours: null,
  };
}

/**
 * Since when held places are subtracted from a slot's capacity. Sandbox providers do not track bookings: null, all of
 * them.
 */
export const placesCountedSince = ({ tenant }: Pick<Work, 'tenant'>, asOf: Date): Date | null =>
  tenant.environment === 'sandbox' ? null : asOf;
