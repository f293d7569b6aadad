import type { SchedulingProviderName, VisitLocation } from '../../adapters/scheduling/port.ts';
import { readTeamSettings } from '../../identity/management/management.ts';
import { DAY, HOUR, isoDay, isoTimestamp, later } from '../../platform/clock.ts';
import { DomainError, requireFound, invalidField } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { factsOf, lockOrder, type Order } from '../../ordering/orders/orders.ts';
import { canMove } from '../../ordering/orders/status.ts';
import {
  findSitesByCode,
  locateZip,
  milesBetween,
} from '../patient-service-centers/patient-service-centers.ts';
import { toHomeLocation } from './call-provider.ts';
import type { BookingKey } from './booking-key.ts';
import { MODALITY_BY_TYPE, type AppointmentType } from './status.ts';
import { lockUserOfOrder } from './store.ts';
import { CHANGE_CUTOFF_MS } from './view.ts';

/**
 * Locks the order until this work ends: 404 if it does not exist, 400 for another collection method. Locks its user
 * first, in the same order as a user deletion: the deletion then sees every booking that was started before it, and no
 * booking starts after it.
 */
export async function lockOrderForVisit(work: Work, id: string, type: AppointmentType): Promise<Order> {
  await lockUserOfOrder(work, id);
  return requireModality(requireFound(await lockOrder(work, id), 'Order'), type);
}

export function requireModality(order: Order, type: AppointmentType): Order {
  if (order.modality === MODALITY_BY_TYPE[type]) return order;
  const wanted = type === 'phlebotomy' ? 'home' : 'a patient service center';
  throw new DomainError(
    'bad_request',
    `The order is a ${order.modality} order; it has no appointment at ${wanted}`,
  );
}

/**
 * Whether the visit waits for the requisition. True if the order has none yet and the team has enabled booking before
 * the requisition (else 400). 409 if the order cannot have an appointment at its current step.
 */
export async function waitsForRequisition(work: Work, order: Order): Promise<boolean> {
  if (canMove(factsOf(order), 'appointment_scheduled')) return false;
  if (order.step !== 'ordered') {
    throw new DomainError(
      'conflict',
      `Transition from ${order.step} to appointment_scheduled is not allowed`,
    );
  }
  if ((await readTeamSettings(work)).booking_before_requisition_enabled) return true;
  throw new DomainError(
    'bad_request',
    `The order has no requisition yet: book after its requisition_created event${simulatedBy(work, order)}. Booking ` +
      'before the requisition is not enabled for this team (booking_before_requisition_enabled)',
  );
}

/** The call that makes the requisition in a sandbox, where no laboratory does. */
const simulatedBy = ({ tenant }: Work, { id, modality }: Order): string =>
  tenant.environment === 'sandbox'
    ? `, which POST /v3/order/${id}/test?final_status=received.${modality}.requisition_created brings about in the sandbox`
    : '';

interface KeyedOrder {
  readonly order: Order;
  readonly type: AppointmentType;
  readonly key: BookingKey;
}

/** The location of a booking key. 400 if the key does not fit the order, or has expired. */
export async function locationOfKey(work: Work, { order, type, key }: KeyedOrder): Promise<VisitLocation> {
  if (key.expiresAt <= work.now) {
    throw new DomainError(
      'bad_request',
      key.startAt <= work.now
        ? 'The booking key has expired: its slot is in the past. Please select a new time.'
        : 'The booking key has expired. Please get the availability again.',
    );
  }
  return type === 'phlebotomy' ? homeOfKey(order, key) : siteOfKey(work, order, key);
}

/** A visit without a requisition must begin late enough for the requisition to arrive. */
export function requireTimeForRequisition({ now }: Work, startAt: Date): void {
  if (startAt > later(now, CHANGE_CUTOFF_MS)) return;
  throw new DomainError(
    'bad_request',
    `Without a requisition, a visit must begin more than 2 hours from now, after ${isoTimestamp(later(now, CHANGE_CUTOFF_MS))}`,
  );
}

const HOME_PROVIDERS: ReadonlySet<SchedulingProviderName> = new Set(['getlabs', 'phlebfinders']);

/** The key contains only the ZIP code of the home. The address comes from the order. */
function homeOfKey(order: Order, key: BookingKey): VisitLocation {
  const zip = order.private.address?.zip.slice(0, 5) ?? '';
  const at = HOME_PROVIDERS.has(key.provider) && key.placeCode === zip ? locateZip(zip) : undefined;
  const home = at && toHomeLocation(order, at);
  if (home) return home;
  throw new DomainError('bad_request', 'The booking key is not for the address of this order');
}

/** The largest search radius for centers. */
const CENTER_RADIUS_MAX_MILES = 100;

/** A center of the order's laboratory, in the patient's state or within reach. */
async function siteOfKey(work: Work, order: Order, key: BookingKey): Promise<VisitLocation> {
  if (key.provider !== order.lab_slug) {
    throw new DomainError('bad_request', 'The booking key is not for the laboratory of this order');
  }
  const [site] = await findSitesByCode(work, order.lab_slug, [key.placeCode]);
  if (!site?.capabilities.includes('appointment_scheduling_via_junction'))
    throw new DomainError('bad_request', 'The center of the booking key no longer takes appointments');
  const home = order.private.address;
  const at = home ? locateZip(home.zip) : undefined;
  const isNear = at !== undefined && milesBetween(at.point, site.point) <= CENTER_RADIUS_MAX_MILES;
  if (!isNear && site.address.state !== home?.state) {
    throw new DomainError(
      'bad_request',
      'The booking key is for a center that is out of reach for this patient',
    );
  }
  const { code, name, address, point, timeZone, hours } = site;
  return { code, name, address, point, timeZone, hours };
}

/** 422 unless the day is today or later anywhere in the United States, and at most a year ahead. */
export function requireStartDate({ now }: Pick<Work, 'now'>, day: string | null | undefined): void {
  if (day == null) return;
  // UTC-11, the westernmost US time zone.
  const earliest = isoDay(later(now, -11 * HOUR));
  const latest = isoDay(later(now, 366 * DAY));
  if (day >= earliest && day <= latest) return;
  throw invalidField(['query', 'start_date'], `expected a day from ${earliest} to ${latest}`);
}
