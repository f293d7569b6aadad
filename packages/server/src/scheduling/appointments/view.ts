import type { VisitAddress } from '../../adapters/scheduling/port.ts';
import { emit } from '../../events/events.ts';
import { HOUR, isoTimestamp, later } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { subjectOfOrder, type Order } from '../../ordering/orders/orders.ts';
import type { Appointment } from './appointment.ts';
import { appointmentCreated, appointmentUpdated } from './events.ts';
import type { AppointmentView } from './schema.ts';
import { appointmentMachine } from './status.ts';

/** A visit that begins sooner can no longer be rescheduled, and expires if it has no requisition. */
export const CHANGE_CUTOFF_MS = 2 * HOUR;

/** Whether the visit can be rescheduled now. */
export const canReschedule = (
  { now }: Pick<Work, 'now'>,
  appointment: Pick<Appointment, 'kind' | 'errand' | 'status' | 'start_at'>,
): boolean =>
  appointment.kind === 'slots' &&
  appointment.errand === null &&
  appointmentMachine[appointment.status].move &&
  appointment.start_at !== null &&
  appointment.start_at > later(now, CHANGE_CUTOFF_MS);

/** The public view of an appointment, the same in responses and webhooks. */
export function viewAppointment(
  work: Pick<Work, 'now'>,
  { order, appointment }: AppointmentWithOrder,
): AppointmentView {
  const { place, notes } = appointment.private;
  const events = appointment.events.map(({ status, data, createdAt }) => ({
    created_at: isoTimestamp(createdAt),
    status,
    data,
  }));
  const last = events.at(-1);
  return {
    id: appointment.id,
    user_id: appointment.user_id,
    order_id: appointment.order_id,
    order_transaction_id: order.transaction_id,
    type: appointment.type,
    status: appointment.status,
    start_at: appointment.start_at && isoTimestamp(appointment.start_at),
    end_at: appointment.end_at && isoTimestamp(appointment.end_at),
    iana_timezone: appointment.time_zone,
    address: viewAddress(place.address),
    location: { lng: place.point.lng, lat: place.point.lat },
    provider: appointment.provider,
    // Before the provider's first answer, the appointment is known to it by our id.
    provider_id: appointment.provider_id ?? appointment.id,
    external_id: appointment.external_id,
    can_reschedule: canReschedule(work, appointment),
    appointment_notes: notes,
    event_status: last?.status ?? appointmentMachine[appointment.status].event,
    event_data: last?.data ?? null,
    events,
  };
}

/** An appointment with its order. */
export interface AppointmentWithOrder {
  readonly order: Order;
  readonly appointment: Appointment;
}

export const viewAddress = (address: VisitAddress): AppointmentView['address'] => ({
  first_line: address.firstLine,
  second_line: address.secondLine,
  city: address.city,
  state: address.state,
  zip_code: address.zip,
  unit: null,
  access_notes: address.accessNotes,
});

/** Emits the appointment's event in the transaction of its change. */
export const emitAppointment = (
  work: Work,
  visit: AppointmentWithOrder,
  which: 'created' | 'updated',
): Promise<void> =>
  emit(work, which === 'created' ? appointmentCreated : appointmentUpdated, {
    subject: subjectOfOrder(visit.order),
    data: viewAppointment(work, visit),
  });
