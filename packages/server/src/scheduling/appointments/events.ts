import { defineEvent } from '../../events/events.ts';
import { AppointmentView } from './schema.ts';

export const appointmentCreated = defineEvent({
  type: 'labtest.appointment.created',
  when: 'An appointment was booked, requested or reserved. Carries the whole appointment.',
  data: AppointmentView,
});

export const appointmentUpdated = defineEvent({
  type: 'labtest.appointment.updated',
  when: 'An appointment was confirmed, moved, begun, completed or cancelled. Carries the whole appointment.',
  data: AppointmentView,
});
