import type {
  BookAnswer,
  ProviderVisit,
  SchedulingProvider,
  SlotWish,
  VisitPlace,
  VisitWish,
} from '../../adapters/scheduling/port.ts';
import type { App } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { Order } from '../orders/orders.ts';
import type { Appointment } from './appointment.ts';
import type { Visit } from './view.ts';

/** The provider of this name where one is connected; else a 503. */
export function providerOf(app: App, tenant: Tenant, name: Appointment['provider']): SchedulingProvider {
  const provider = app.schedulingProviders[tenant.environment][name];
  if (!provider) {
    throw new DomainError('unavailable', `The provider ${name} is not connected in ${tenant.environment}`);
  }
  return provider;
}

/** What became of a question: an answer, a clear no with nothing booked, or nothing yet. */
export type Asked =
  | { readonly is: 'answered'; readonly visit: ProviderVisit }
  | { readonly is: 'refused'; readonly error: DomainError }
  /** Not answered in time, or not reached: the provider may have done it all the same, and may have said when to ask again. */
  | { readonly is: 'unknown'; readonly retryAfterSeconds?: number | undefined };

export const SLOT_TAKEN = 'This appointment slot is no longer available. Please select a new time.';

/** Waits for the provider no longer than that; what it answers later is found out by looking. */
export async function askInTime(asking: Promise<BookAnswer>, patienceMs: number): Promise<Asked> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, patienceMs, 'late');
  });
  // A failure that comes when nobody waits any more is nobody's concern.
  asking.catch(() => {});
  try {
    return understood(await Promise.race([asking, late]));
  } catch (error) {
    return failed(error);
  } finally {
    clearTimeout(timer);
  }
}

function understood(answer: BookAnswer | 'late'): Asked {
  if (answer === 'late') return { is: 'unknown' };
  if (answer === 'taken') return { is: 'refused', error: new DomainError('bad_request', SLOT_TAKEN) };
  if (answer.status !== 'cancelled') return { is: 'answered', visit: answer };
  const why = answer.said === null ? '' : `: ${answer.said}`;
  return { is: 'refused', error: new DomainError('bad_request', `The provider refused the visit${why}`) };
}

function failed(error: unknown): Asked {
  if (!(error instanceof DomainError)) throw error;
  const { retryAfterSeconds } = error;
  return isAway(error) ? { is: 'unknown', retryAfterSeconds } : { is: 'refused', error };
}

/** Whether the provider could not be reached, or has no time; any other failure is a clear no. */
export const isAway = ({ kind }: DomainError): boolean => kind === 'unavailable' || kind === 'too_many';

/** Books, or requests, what the row of the appointment says. Asking again makes no second one. */
export function askToBook(provider: SchedulingProvider, visit: Visit, now: Date): Promise<BookAnswer> {
  const { appointment } = visit;
  const { place, slotId, notes } = appointment.private;
  const wish = wishOf(visit, { place, notes, now });
  if (appointment.kind === 'request') return provider.request(wish);
  return provider.book({ ...wish, slot: slotOf(appointment, slotId) });
}

/** Moves the appointment to where its row says it is wished. */
export function askToMove(provider: SchedulingProvider, visit: Visit, now: Date): Promise<BookAnswer> {
  const { wish, provider_id: providerId } = visit.appointment;
  if (!wish) throw new Error(`Appointment ${visit.appointment.id} is not to be moved`);
  const { place, notes, slotId, startAt, endAt } = wish;
  const slot = { slotId, startAt: new Date(startAt), endAt: new Date(endAt) };
  return provider.reschedule({ ...wishOf(visit, { place, notes, now }), slot, providerId });
}

function slotOf({ id, start_at, end_at }: Appointment, slotId: string | null): SlotWish['slot'] {
  if (slotId === null || !start_at || !end_at) throw new Error(`Appointment ${id} has no slot`);
  return { slotId, startAt: start_at, endAt: end_at };
}

interface Where {
  readonly place: VisitPlace;
  readonly notes: string | null;
  readonly now: Date;
}

function wishOf({ order, appointment }: Visit, where: Where): VisitWish {
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

/** The patient's home, as the provider is to find it now: the order's address with its access notes. */
export function homeOf(order: Order, home: Pick<VisitPlace, 'point' | 'timeZone'>): VisitPlace | undefined {
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

/** Where the places that were taken are counted from: a sandbox keeps no books, so all of them; else those since `asOf`. */
export const countedSince = ({ tenant }: Pick<Work, 'tenant'>, asOf: Date): Date | null =>
  tenant.environment === 'sandbox' ? null : asOf;
