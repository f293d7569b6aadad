import { createEvent, type EventAttributes } from 'ics';
import type { FileAnswer } from '../../platform/http/file-answer.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Appointment } from './appointment.ts';
import type { AppointmentState } from './status.ts';
import type { Visit } from './view.ts';

const STATUS_OF: Readonly<Record<AppointmentState, NonNullable<EventAttributes['status']>>> = {
  pending: 'TENTATIVE',
  reserved: 'TENTATIVE',
  confirmed: 'CONFIRMED',
  in_progress: 'CONFIRMED',
  completed: 'CONFIRMED',
  cancelled: 'CANCELLED',
};

/**
 * The appointment as a calendar file: one event, always of the same UID, whose SEQUENCE grows with every change, so
 * that a calendar that takes it again moves or cancels what it has. 409 while the provider has set no time.
 */
export function calendarOf({ appointment }: Visit): FileAnswer {
  const { error, value } = createEvent(eventOf(appointment));
  if (error || !value) throw error ?? new Error(`Appointment ${appointment.id} makes no calendar file`);
  return { name: `appointment-${appointment.id}.ics`, draw: async () => Buffer.from(value) };
}

/** Whoever looks over the patient's shoulder need not see what is tested. */
function eventOf(appointment: Appointment): EventAttributes {
  const { start_at: startAt, end_at: endAt, type, status, sequence } = appointment;
  if (!startAt || !endAt) {
    throw new DomainError('conflict', 'The provider has set no time for this appointment yet');
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
    status: STATUS_OF[status],
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
