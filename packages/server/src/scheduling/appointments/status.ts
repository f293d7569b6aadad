import {
  canMove,
  type OrderFacts,
  type OrderModality,
  type OrderStep,
} from '../../ordering/orders/status.ts';

/**
 * The state machine of an appointment. A row is a status, `next` its transitions. Statuses without a row do not exist.
 */

export const APPOINTMENT_EVENT_STATES = [
  'pending',
  'reserved',
  'scheduled',
  'in_progress',
  'completed',
  'cancelled',
] as const;
export type AppointmentEventState = (typeof APPOINTMENT_EVENT_STATES)[number];

interface AppointmentStatusRule<Status extends string> {
  /** The status of the event. */
  readonly event: AppointmentEventState;
  readonly next: readonly Status[];
  /** Whether the appointment is upcoming or in progress. An order has at most one active appointment. */
  readonly active: boolean;
  /** Whether the team may cancel the appointment. */
  readonly cancel: boolean;
  /** Whether the appointment may be rescheduled. */
  readonly move: boolean;
}

/** A `next` without a row of its own does not compile. */
const defineMachine = <const Statuses extends string>(rows: {
  readonly [Status in Statuses]: AppointmentStatusRule<NoInfer<Statuses>>;
}) => rows;

// prettier-ignore
const TYPED_MACHINE = defineMachine({
  pending:     { event: 'pending',     active: true,  cancel: true,  move: false, next: ['pending', 'reserved', 'confirmed', 'cancelled'] },
  reserved:    { event: 'reserved',    active: true,  cancel: true,  move: true,  next: ['reserved', 'confirmed', 'pending', 'cancelled'] },
  confirmed:   { event: 'scheduled',   active: true,  cancel: true,  move: true,  next: ['confirmed', 'pending', 'in_progress', 'completed', 'cancelled'] },
  in_progress: { event: 'in_progress', active: true,  cancel: false, move: false, next: ['completed', 'cancelled'] },
  completed:   { event: 'completed',   active: false, cancel: false, move: false, next: [] },
  cancelled:   { event: 'cancelled',   active: false, cancel: false, move: false, next: [] },
});

export type AppointmentState = keyof typeof TYPED_MACHINE;

/** The table under one type. */
export const appointmentMachine: Readonly<Record<AppointmentState, AppointmentStatusRule<AppointmentState>>> =
  TYPED_MACHINE;

export const APPOINTMENT_STATES = [
  'pending',
  'reserved',
  'confirmed',
  'in_progress',
  'completed',
  'cancelled',
] as const satisfies readonly AppointmentState[];

export const ACTIVE_STATES = APPOINTMENT_STATES.filter((state) => appointmentMachine[state].active);

/**
 * The statuses on the shortest path to `to`, inclusive, so that events for skipped statuses are emitted in order.
 * Undefined if there is no path. A path from a status to itself exists only if the table lists it.
 */
export function findStatePath(from: AppointmentState, to: AppointmentState): AppointmentState[] | undefined {
  const seen = new Set<AppointmentState>([from]);
  let edge: AppointmentState[][] = [[from]];
  while (edge.length > 0) {
    const next: AppointmentState[][] = [];
    for (const path of edge) {
      for (const state of appointmentMachine[path.at(-1) ?? from].next) {
        if (state === to) return [...path.slice(1), state];
        if (!seen.has(state)) next.push([...path, state]);
        seen.add(state);
      }
    }
    edge = next;
  }
  return undefined;
}

export const APPOINTMENT_TYPES = ['phlebotomy', 'patient_service_center'] as const;
export type AppointmentType = (typeof APPOINTMENT_TYPES)[number];

export const MODALITY_BY_TYPE: Readonly<Record<AppointmentType, OrderModality>> = {
  phlebotomy: 'at_home_phlebotomy',
  patient_service_center: 'walk_in_test',
};

/** The order step for each appointment status; null if there is none. */
// prettier-ignore
const ORDER_STEPS: Readonly<Record<AppointmentType, Readonly<Record<AppointmentState, OrderStep | null>>>> = {
  phlebotomy: {
    pending: 'appointment_pending', reserved: 'appointment_pending', confirmed: 'appointment_scheduled',
    in_progress: null, completed: 'draw_completed', cancelled: 'appointment_cancelled',
  },
  // A completed draw at a center is reported by the laboratory, with the results.
  patient_service_center: {
    pending: 'appointment_pending', reserved: 'appointment_pending', confirmed: 'appointment_scheduled',
    in_progress: null, completed: null, cancelled: 'appointment_cancelled',
  },
};

/**
 * The step that the order takes with its appointment; undefined if the transition is not allowed, because the order has
 * no requisition yet or has already moved on.
 */
export function orderStepFor(
  type: AppointmentType,
  state: AppointmentState,
  facts: OrderFacts,
): OrderStep | undefined {
  const step = ORDER_STEPS[type][state];
  return step !== null && canMove(facts, step) ? step : undefined;
}
