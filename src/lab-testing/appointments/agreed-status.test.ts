import { expect, it } from 'vitest';
import { STEPS, type Facts } from '../orders/status.ts';
import {
  APPOINTMENT_EVENT_STATES,
  APPOINTMENT_STATES,
  appointmentMachine,
  MODALITY_OF,
  statesTo,
  stepWith,
} from './status.ts';

/** As agreed: the event, what the team may do (cancel, move), and what may follow. */
const AGREED = `
  pending as pending, cancel -> pending reserved confirmed cancelled
  reserved as reserved, cancel move -> reserved confirmed pending cancelled
  confirmed as scheduled, cancel move -> confirmed pending in_progress completed cancelled
  in_progress as in_progress -> completed cancelled
  completed as completed
  cancelled as cancelled`;

it('goes, is told of, cancelled and moved as agreed', () => {
  const lines = APPOINTMENT_STATES.map((state) => {
    const { event, cancel, move, next } = appointmentMachine[state];
    const may = [...(cancel ? ['cancel'] : []), ...(move ? ['move'] : [])].join(' ');
    return `${state} as ${event}${may ? `, ${may}` : ''}${next.length > 0 ? ` -> ${next.join(' ')}` : ''}`;
  });
  expect(lines).toEqual(
    AGREED.trim()
      .split('\n')
      .map((line) => line.trim()),
  );
  expect(APPOINTMENT_EVENT_STATES).toHaveLength(6);
});

it('comes from a status to itself only where the table has such a row', () => {
  expect(statesTo('confirmed', 'confirmed')).toEqual(['confirmed']);
  expect(statesTo('in_progress', 'in_progress')).toBeUndefined();
  expect(statesTo('pending', 'in_progress')).toEqual(['confirmed', 'in_progress']);
});

it('brings its order to no other step than agreed', () => {
  const brought = (['phlebotomy', 'patient_service_center'] as const).flatMap((type) =>
    APPOINTMENT_STATES.flatMap((state) => {
      const from = (step: Facts['step']): Facts => ({
        modality: MODALITY_OF[type],
        step,
        leg: 'stock',
        registrable: false,
        registered: false,
      });
      const steps = new Set(STEPS.map((step) => stepWith(type, state, from(step))));
      return [...steps].flatMap((step) => (step ? [`${type} ${state}: ${step}`] : []));
    }),
  );
  expect(brought).toEqual([
    'phlebotomy pending: appointment_pending',
    'phlebotomy reserved: appointment_pending',
    'phlebotomy confirmed: appointment_scheduled',
    'phlebotomy completed: draw_completed',
    'phlebotomy cancelled: appointment_cancelled',
    'patient_service_center pending: appointment_pending',
    'patient_service_center reserved: appointment_pending',
    'patient_service_center confirmed: appointment_scheduled',
    'patient_service_center cancelled: appointment_cancelled',
  ]);
});
