import { readTeamSettings } from '../../identity/management/management.ts';
import type { Work } from '../../platform/work.ts';
import { factsOf, getOrder, type Order } from '../../ordering/orders/orders.ts';
import { canMove } from '../../ordering/orders/status.ts';
import type { Appointment } from './appointment.ts';
import { MODALITY_BY_TYPE, type AppointmentType } from './status.ts';
import * as store from './store.ts';

/** The entry point of the module, for pages that do what the API does. */
export { getCenterAvailability, getHomeAvailability } from './availability.ts';
export { finishBooking, prepareBooking } from './book.ts';
export { toCalendarFile } from './calendar.ts';
export { SLOT_TAKEN } from './call-provider.ts';
export { cancelVisit } from './cancel.ts';
export { finishReschedule, prepareReschedule } from './reschedule.ts';
export { canReschedule } from './view.ts';
export type { Appointment } from './appointment.ts';

/** An order with its appointment, and whether one can be booked. */
export interface OrderVisit {
  readonly order: Order;
  readonly type: AppointmentType;
  /** The active appointment, else the last one. */
  readonly appointment: Appointment | undefined;
  /** `early`: the order has no requisition yet. `closed`: it needs no appointment any more. */
  readonly booking: 'open' | 'early' | 'closed';
}

/** The visit of an order; undefined for an order of another collection method, a 404 for an unknown one. */
export async function readOrderVisit(work: Work, orderId: string): Promise<OrderVisit | undefined> {
  const order = await getOrder(work, orderId);
  const type = typeOfOrder(order);
  if (!type) return undefined;
  const active = await store.findActiveAppointment(work, order.id);
  const appointment = active?.told_at ? active : await store.findPublished(work, order.id, type);
  return { order, type, appointment, booking: await readBookingState(work, order) };
}

const TYPES = ['phlebotomy', 'patient_service_center'] as const satisfies readonly AppointmentType[];
const typeOfOrder = ({ modality }: Order): AppointmentType | undefined =>
  TYPES.find((type) => MODALITY_BY_TYPE[type] === modality);

async function readBookingState(work: Work, order: Order): Promise<OrderVisit['booking']> {
  if (canMove(factsOf(order), 'appointment_scheduled')) return 'open';
  if (order.step !== 'ordered') return 'closed';
  return (await readTeamSettings(work)).booking_before_requisition_enabled ? 'open' : 'early';
}
