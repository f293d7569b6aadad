import { canMove, type Facts, type Modality, type Step } from '../orders/status.ts';

/** The life of an appointment, as a table. A status that no row lists does not exist. */

export const APPOINTMENT_EVENT_STATES = [
  'pending',
  'reserved',
  'scheduled',
  'in_progress',
  'completed',
  'cancelled',
] as const;
export type AppointmentEventState = (typeof APPOINTMENT_EVENT_STATES)[number];

export interface AppointmentRow<Status extends string> {
  /** The status of the event that tells of it. */
  readonly event: AppointmentEventState;
  readonly next: readonly Status[];
  /** Whether it is still to come or going on: an order has one such at most. */
  readonly active: boolean;
  /** Whether the team may cancel it here. */
  readonly cancel: boolean;
  /** Whether it may be moved to another slot here. */
  readonly move: boolean;
}

/** A `next` that names no row does not compile. */
const machine = <const Statuses extends string>(rows: {
  readonly [Status in Statuses]: AppointmentRow<NoInfer<Statuses>>;
}) => rows;

// prettier-ignore
const MACHINE = machine({
  pending:     { event: 'pending',     active: true,  cancel: true,  move: false, next: ['pending', 'reserved', 'confirmed', 'cancelled'] },
  reserved:    { event: 'reserved',    active: true,  cancel: true,  move: true,  next: ['reserved', 'confirmed', 'pending', 'cancelled'] },
  confirmed:   { event: 'scheduled',   active: true,  cancel: true,  move: true,  next: ['confirmed', 'pending', 'in_progress', 'completed', 'cancelled'] },
  in_progress: { event: 'in_progress', active: true,  cancel: false, move: false, next: ['completed', 'cancelled'] },
  completed:   { event: 'completed',   active: false, cancel: false, move: false, next: [] },
  cancelled:   { event: 'cancelled',   active: false, cancel: false, move: false, next: [] },
});

export type AppointmentState = keyof typeof MACHINE;

/** The table under one type, for code that walks it. */
export const appointmentMachine: Readonly<Record<AppointmentState, AppointmentRow<AppointmentState>>> =
  MACHINE;

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
 * The statuses from here to `to` along the shortest way, `to` last: what a provider tells late is told in order.
 * Undefined when there is no way. From a status to itself only where the table has such a row.
 */
export function statesTo(from: AppointmentState, to: AppointmentState): AppointmentState[] | undefined {
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

export type AppointmentType = 'phlebotomy' | 'patient_service_center';

export const MODALITY_OF: Readonly<Record<AppointmentType, Modality>> = {
  phlebotomy: 'at_home_phlebotomy',
  patient_service_center: 'walk_in_test',
};

/** Where an appointment brings its order. Null: the order has no step for it. */
// prettier-ignore
const STEPS: Readonly<Record<AppointmentType, Readonly<Record<AppointmentState, Step | null>>>> = {
  phlebotomy: {
    pending: 'appointment_pending', reserved: 'appointment_pending', confirmed: 'appointment_scheduled',
    in_progress: null, completed: 'draw_completed', cancelled: 'appointment_cancelled',
  },
  // That blood was drawn at a center is told by its laboratory, with the results.
  patient_service_center: {
    pending: 'appointment_pending', reserved: 'appointment_pending', confirmed: 'appointment_scheduled',
    in_progress: null, completed: null, cancelled: 'appointment_cancelled',
  },
};

/**
 * The step that an order takes with its appointment, or undefined where its journey does not go there: an order
 * without a requisition waits for it, and one that has gone on is not called back.
 */
export function stepWith(type: AppointmentType, state: AppointmentState, facts: Facts): Step | undefined {
  const step = STEPS[type][state];
  return step !== null && canMove(facts, step) ? step : undefined;
}
