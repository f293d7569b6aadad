import type { SchedulingProviderName, VisitPlace } from '../../adapters/scheduling/port.ts';
import { teamSettings } from '../../management/management.ts';
import { DAY, HOUR, isoDay, isoMoment, later } from '../../platform/clock.ts';
import { DomainError, found, invalidField } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { factsOf, lockOrder, type Order } from '../orders/orders.ts';
import { canMove } from '../orders/status.ts';
import {
  findSitesByCode,
  locateZip,
  milesBetween,
} from '../patient-service-centers/patient-service-centers.ts';
import { homeOf } from './ask-provider.ts';
import type { BookingKey } from './booking-key.ts';
import { MODALITY_OF, type AppointmentType } from './status.ts';
import { holdUserOf } from './store.ts';
import { FIRM_BEFORE_MS } from './view.ts';

/**
 * The order, locked until this work ends: 404 for none, 400 for one of another way of collection. Its user cannot be
 * deleted meanwhile: who deletes sees what was begun before and calls it off, and after it nothing is begun. The user
 * comes first, as in a deletion.
 */
export async function lockOrderOf(work: Work, id: string, type: AppointmentType): Promise<Order> {
  await holdUserOf(work, id);
  return requireModality(found(await lockOrder(work, id), 'Order'), type);
}

export function requireModality(order: Order, type: AppointmentType): Order {
  if (order.modality === MODALITY_OF[type]) return order;
  const wanted = type === 'phlebotomy' ? 'a phlebotomist' : 'a patient service center';
  throw new DomainError(
    'bad_request',
    `The order is a ${order.modality} order; it has no appointment at ${wanted}`,
  );
}

/**
 * Whether the visit waits for the requisition: true before it exists, for a team that has this on (else 400).
 * 409 where the order's journey has no appointment from here.
 */
export async function waitsForRequisition(work: Work, order: Order): Promise<boolean> {
  if (canMove(factsOf(order), 'appointment_scheduled')) return false;
  if (order.step !== 'ordered') {
    throw new DomainError(
      'conflict',
      `Transition from ${order.step} to appointment_scheduled is not allowed`,
    );
  }
  if ((await teamSettings(work)).booking_before_requisition_enabled) return true;
  throw new DomainError(
    'bad_request',
    'The order has no requisition yet, and booking before the requisition is not enabled for this team (booking_before_requisition_enabled)',
  );
}

interface Keyed {
  readonly order: Order;
  readonly type: AppointmentType;
  readonly key: BookingKey;
}

/** The place of a booking key, if key and order fit and the slot is still to come; else 400. */
export async function placeOfKey(work: Work, { order, type, key }: Keyed): Promise<VisitPlace> {
  if (key.expiresAt <= work.now) {
    throw new DomainError(
      'bad_request',
      key.startAt <= work.now
        ? 'The booking key has expired: its time is past. Please select a new time.'
        : 'The booking key has expired. Please ask for the availability again.',
    );
  }
  return type === 'phlebotomy' ? homeOfKey(order, key) : siteOfKey(work, order, key);
}

/** A visit that is only reserved has to begin late enough that a requisition can still come. */
export function requireTimeForRequisition({ now }: Work, startAt: Date): void {
  if (startAt > later(now, FIRM_BEFORE_MS)) return;
  throw new DomainError(
    'bad_request',
    `Before the requisition a visit must begin more than 2 hours from now, after ${isoMoment(later(now, FIRM_BEFORE_MS))}`,
  );
}

const AT_HOME: ReadonlySet<SchedulingProviderName> = new Set(['getlabs', 'phlebfinders']);

/** The key names the home by its ZIP code; the address itself is the order's. */
function homeOfKey(order: Order, key: BookingKey): VisitPlace {
  const zip = order.private.address?.zip.slice(0, 5) ?? '';
  const at = AT_HOME.has(key.provider) && key.placeCode === zip ? locateZip(zip) : undefined;
  const home = at && homeOf(order, at);
  if (home) return home;
  throw new DomainError('bad_request', 'The booking key is not for the address of this order');
}

/** The widest circle in which centers are looked for. */
const FARTHEST_MILES = 100;

/** A center of the order's laboratory, in the patient's state or within reach. */
async function siteOfKey(work: Work, order: Order, key: BookingKey): Promise<VisitPlace> {
  if (key.provider !== order.lab_slug) {
    throw new DomainError('bad_request', 'The booking key is not for the laboratory of this order');
  }
  const [site] = await findSitesByCode(work, order.lab_slug, [key.placeCode]);
  if (!site?.capabilities.includes('appointment_scheduling_via_junction'))
    throw new DomainError('bad_request', 'The center of the booking key sees nobody any more');
  const home = order.private.address;
  const at = home ? locateZip(home.zip) : undefined;
  const isNear = at !== undefined && milesBetween(at.point, site.point) <= FARTHEST_MILES;
  if (!isNear && site.address.state !== home?.state) {
    throw new DomainError('bad_request', 'The booking key is for a center out of reach of this patient');
  }
  const { code, name, address, point, timeZone, hours } = site;
  return { code, name, address, point, timeZone, hours };
}

/** A day to come, or today, anywhere in the United States, and not more than a year ahead: 422 else. */
export function requireDayToCome({ now }: Pick<Work, 'now'>, day: string | null | undefined): void {
  if (day == null) return;
  // Where the day ends last.
  const earliest = isoDay(later(now, -11 * HOUR));
  const latest = isoDay(later(now, 366 * DAY));
  if (day >= earliest && day <= latest) return;
  throw invalidField(['query', 'start_date'], `expected a day from ${earliest} to ${latest}`);
}
