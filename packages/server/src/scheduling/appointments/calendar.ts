import { createEvent, type EventAttributes } from 'ics';
import type { FileResponse } from '../../platform/http/file-response.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Appointment } from './appointment.ts';
import type { AppointmentState } from './status.ts';
import type { AppointmentWithOrder } from './view.ts';

const CALENDAR_STATUS: Readonly<Record<AppointmentState, NonNullable<EventAttributes['status']>>> = {
  pending: 'TENTATIVE',
  reserved: 'TENTATIVE',
  confirmed: 'CONFIRMED',
  in_progress: 'CONFIRMED',
  completed: 'CONFIRMED',
  cancelled: 'CANCELLED',
};

/**
 * The appointment as an iCalendar file with one event. The UID is constant and SEQUENCE grows with every change, so
 * that importing it again updates or cancels the existing event. 409 until the provider has set a time.
 */
export function toCalendarFile({ appointment }: AppointmentWithOrder): FileResponse {
  const { error, value } = createEvent(toCalendarEvent(appointment));
  if (error || !value) throw error ?? new Error(`Appointment ${appointment.id} makes no calendar file`);
  return { name: `appointment-${appointment.id}.ics`, render: async () => Buffer.from(value) };
}

/** Does not name the tests, since others may see the patient's calendar. */
function toCalendarEvent(appointment: Appointment): EventAttributes {
  const { start_at: startAt, end_at: endAt, type, status, sequence } = appointment;
  if (!startAt || !endAt) {
    throw new DomainError('conflict', 'The provider has not set a time for this appointment yet');
  }
  const { place, notes } = appointment.private;
  const { address, name } = place;
  const isHome = type === 'phlebotomy';
  const lines = [address.firstLine, address.secondLine, address.city, `${address.state} ${address.zip}`];
  const location = [...(isHome ? [] : [name]), ...lines].filter(Boolean).join(', ');
  return {
    productId: 'aliquot/appointments',
    method: 'PUBLISH',
    uid: appointment.id,
    sequence,
    status: CALENDAR_STATUS[status],
    busyStatus: status === 'cancelled' ? 'FREE' : 'BUSY',
    transp: status === 'cancelled' ? 'TRANSPARENT' : 'OPAQUE',
    classification: 'PRIVATE',
    title: isHome ? 'Phlebotomist visit at home' : `Appointment at ${name}`,
    ...(notes === null || notes === '' ? {} : { description: notes }),
    location,
    geo: { lat: place.point.lat, lon: place.point.lng },
    start: startAt.getTime(),
    startOutputType: 'utc',
    end: endAt.getTime(),
    endOutputType: 'utc',
    created: appointment.created_at.getTime(),
    lastModified: appointment.updated_at.getTime(),
  };
}
