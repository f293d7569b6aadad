import { describe, expect, it } from 'vitest';
import { canMove, machines, STEPS, type OrderFacts } from '../../ordering/orders/status.ts';
import {
  ACTIVE_STATES,
  APPOINTMENT_EVENT_STATES,
  APPOINTMENT_STATES,
  appointmentMachine,
  MODALITY_BY_TYPE,
  findStatePath,
  orderStepFor,
  type AppointmentState,
  type AppointmentType,
} from './status.ts';

const ENDS: AppointmentState[] = ['completed', 'cancelled'];
const pairs = APPOINTMENT_STATES.flatMap((from) => APPOINTMENT_STATES.map((to) => [from, to] as const));

describe('the state machine of an appointment', () => {
  it('reaches every status from the first, and a final one from every status', () => {
    for (const state of APPOINTMENT_STATES) {
      expect([state, findStatePath('pending', state) !== undefined]).toEqual([state, true]);
      const isOver = ENDS.includes(state);
      expect([state, isOver || ENDS.some((end) => findStatePath(state, end))]).toEqual([state, true]);
    }
  });

  it('is inactive exactly at final statuses', () => {
    for (const state of APPOINTMENT_STATES) {
      const { next, active } = appointmentMachine[state];
      expect([state, next.length > 0]).toEqual([state, active]);
    }
    expect(ACTIVE_STATES).toEqual(['pending', 'reserved', 'confirmed', 'in_progress']);
  });

  it('has an event for each status', () => {
    const told = APPOINTMENT_STATES.map((state) => appointmentMachine[state].event);
    expect(told.toSorted()).toEqual([...APPOINTMENT_EVENT_STATES].toSorted());
  });

  it('can be cancelled or rescheduled only at non-final statuses', () => {
    for (const state of APPOINTMENT_STATES) {
      const { cancel, move, next } = appointmentMachine[state];
      expect([state, !cancel || next.includes('cancelled')]).toEqual([state, true]);
      expect([state, !move || next.includes(state)]).toEqual([state, true]);
    }
  });

  it('follows only its own transitions, whatever a provider reports', () => {
    for (const [from, to] of pairs) {
      let here = from;
      for (const state of findStatePath(from, to) ?? []) {
        expect([here, state, appointmentMachine[here].next.includes(state)]).toEqual([here, state, true]);
        here = state;
      }
    }
    expect(findStatePath('pending', 'completed')).toEqual(['confirmed', 'completed']);
    expect(findStatePath('cancelled', 'confirmed')).toBeUndefined();
    expect(findStatePath('completed', 'cancelled')).toBeUndefined();
  });
});

describe('an order with its appointment', () => {
  const types = Object.keys(MODALITY_BY_TYPE) as AppointmentType[];
  const facts = (type: AppointmentType, step: OrderFacts['step']): OrderFacts => ({
    modality: MODALITY_BY_TYPE[type],
    step,
    leg: 'stock',
    registrable: false,
    registered: false,
  });

  it('follows only its own transitions', () => {
    for (const type of types) {
      for (const step of STEPS.filter((one) => machines[MODALITY_BY_TYPE[type]][one])) {
        for (const state of APPOINTMENT_STATES) {
          const to = orderStepFor(type, state, facts(type, step));
          expect(to === undefined || canMove(facts(type, step), to)).toBe(true);
        }
      }
    }
  });

  // prettier-ignore
  it.each([
    ['phlebotomy',             'confirmed', 'requisition_created',   'appointment_scheduled'],
    ['phlebotomy',             'pending',   'requisition_created',   'appointment_pending'],
    ['phlebotomy',             'reserved',  'requisition_bypassed',  'appointment_pending'],
    ['phlebotomy',             'confirmed', 'appointment_pending',   'appointment_scheduled'],
    ['phlebotomy',             'completed', 'appointment_scheduled', 'draw_completed'],
    ['phlebotomy',             'cancelled', 'appointment_scheduled', 'appointment_cancelled'],
    ['phlebotomy',             'confirmed', 'ordered',               undefined],
    ['phlebotomy',             'cancelled', 'cancelled',             undefined],
    ['patient_service_center', 'completed', 'appointment_scheduled', undefined],
    ['patient_service_center', 'confirmed', 'appointment_scheduled', 'appointment_scheduled'],
    ['patient_service_center', 'cancelled', 'completed',             undefined],
  ] as const)('%s %s at %s: %s', (type, state, step, to) => {
    expect(orderStepFor(type, state, facts(type, step))).toBe(to);
  });
});
