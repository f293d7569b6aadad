import { expect, it } from 'vitest';
import { STEPS, type OrderFacts } from '../../ordering/orders/status.ts';
import {
  APPOINTMENT_EVENT_STATES,
  APPOINTMENT_STATES,
  appointmentMachine,
  MODALITY_BY_TYPE,
  findStatePath,
  orderStepFor,
} from './status.ts';

/** As agreed: the event, what the team may do (cancel, move), and what may follow. */
const AGREED = `
  pending as pending, cancel -> pending reserved confirmed cancelled
  reserved as reserved, cancel move -> reserved confirmed pending cancelled
  confirmed as scheduled, cancel move -> confirmed pending in_progress completed cancelled
  in_progress as in_progress -> completed cancelled
  completed as completed
  cancelled as cancelled`;

it('has the agreed transitions, events, cancellations and reschedules', () => {
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

it('moves from a status to itself only if the table lists it', () => {
  expect(findStatePath('confirmed', 'confirmed')).toEqual(['confirmed']);
  expect(findStatePath('in_progress', 'in_progress')).toBeUndefined();
  expect(findStatePath('pending', 'in_progress')).toEqual(['confirmed', 'in_progress']);
});

it('moves its order only to the agreed steps', () => {
  const brought = (['phlebotomy', 'patient_service_center'] as const).flatMap((type) =>
    APPOINTMENT_STATES.flatMap((state) => {
      const from = (step: OrderFacts['step']): OrderFacts => ({
        modality: MODALITY_BY_TYPE[type],
        step,
        leg: 'stock',
        registrable: false,
        registered: false,
      });
      const steps = new Set(STEPS.map((step) => orderStepFor(type, state, from(step))));
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
