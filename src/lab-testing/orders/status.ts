/** The journeys of an order, one table for each way of collection. A step that no row lists does not exist. */

export type TopLevel =
  'received' | 'collecting_sample' | 'sample_with_lab' | 'completed' | 'cancelled' | 'failed';

/** Where a test kit is. `stock` until it is sent; a courier carries it on the outbound and the inbound leg. */
export type Leg = 'stock' | 'outbound' | 'customer' | 'inbound' | 'lab';

export interface Row<Step extends string> {
  readonly top: TopLevel;
  readonly next: readonly Step[];
  /** Whether the team may still cancel here. */
  readonly cancel?: boolean | 'while_not_shipped';
  /** Where the kit is once the order has come here; unchanged when absent. */
  readonly leg?: Leg;
}

/** A `next` that names no row does not compile. */
const machine = <const Steps extends string>(rows: { readonly [Step in Steps]: Row<NoInfer<Steps>> }) => rows;

// prettier-ignore
export const testkit = machine({
  ordered:                        { top: 'received',          cancel: true, next: ['requisition_created', 'awaiting_registration', 'cancelled', 'do_not_process'] },
  awaiting_registration:          { top: 'received',          cancel: true, next: ['transit_customer', 'testkit_registered', 'cancelled', 'do_not_process'] },
  requisition_created:            { top: 'received',          cancel: true, next: ['transit_customer', 'transit_lab', 'cancelled', 'do_not_process'] },
  requisition_bypassed:           { top: 'received',          cancel: true, next: ['transit_customer', 'transit_lab', 'cancelled', 'do_not_process'] },
  testkit_registered:             { top: 'received',          cancel: 'while_not_shipped', next: ['requisition_created', 'cancelled', 'do_not_process'] },
  transit_customer:               { top: 'collecting_sample', leg: 'outbound', next: ['out_for_delivery', 'with_customer', 'problem_in_transit_customer', 'failure_to_deliver_to_customer', 'lost', 'do_not_process'] },
  problem_in_transit_customer:    { top: 'collecting_sample', next: ['transit_customer', 'out_for_delivery', 'with_customer', 'failure_to_deliver_to_customer', 'lost', 'do_not_process'] },
  out_for_delivery:               { top: 'collecting_sample', next: ['with_customer', 'problem_in_transit_customer', 'failure_to_deliver_to_customer', 'do_not_process'] },
  with_customer:                  { top: 'collecting_sample', leg: 'customer', next: ['testkit_registered', 'transit_lab', 'do_not_process'] },
  transit_lab:                    { top: 'collecting_sample', leg: 'inbound', next: ['delivered_to_lab', 'problem_in_transit_lab', 'failure_to_deliver_to_lab', 'lost', 'do_not_process'] },
  problem_in_transit_lab:         { top: 'collecting_sample', next: ['transit_lab', 'delivered_to_lab', 'failure_to_deliver_to_lab', 'lost', 'do_not_process'] },
  delivered_to_lab:               { top: 'sample_with_lab',   leg: 'lab', next: ['completed', 'lab_processing_blocked', 'sample_error', 'do_not_process'] },
  lab_processing_blocked:         { top: 'sample_with_lab',   next: ['delivered_to_lab', 'completed', 'sample_error', 'do_not_process'] },
  completed:                      { top: 'completed',         next: ['corrected'] },
  corrected:                      { top: 'completed',         next: ['corrected'] },
  failure_to_deliver_to_customer: { top: 'failed',            next: [] },
  failure_to_deliver_to_lab:      { top: 'failed',            next: [] },
  lost:                           { top: 'failed',            next: [] },
  sample_error:                   { top: 'failed',            next: [] },
  cancelled:                      { top: 'cancelled',         next: [] },
  do_not_process:                 { top: 'cancelled',         next: [] },
});

// prettier-ignore
export const walkIn = machine({
  ordered:               { top: 'received',          cancel: true, next: ['requisition_created', 'requisition_bypassed', 'cancelled'] },
  requisition_created:   { top: 'received',          cancel: true, next: ['completed', 'appointment_pending', 'appointment_scheduled', 'partial_results', 'redraw_available', 'sample_error', 'cancelled'] },
  requisition_bypassed:  { top: 'received',          cancel: true, next: ['completed', 'appointment_pending', 'appointment_scheduled', 'partial_results', 'redraw_available', 'sample_error', 'cancelled'] },
  appointment_pending:   { top: 'collecting_sample', cancel: true, next: ['appointment_scheduled', 'appointment_cancelled', 'cancelled'] },
  appointment_scheduled: { top: 'collecting_sample', cancel: true, next: ['completed', 'appointment_scheduled', 'appointment_cancelled', 'partial_results', 'redraw_available', 'sample_error', 'cancelled'] },
  appointment_cancelled: { top: 'collecting_sample', cancel: true, next: ['completed', 'appointment_pending', 'appointment_scheduled', 'partial_results', 'cancelled'] },
  partial_results:       { top: 'sample_with_lab',   next: ['completed', 'partial_results', 'redraw_available', 'sample_error'] },
  redraw_available:      { top: 'collecting_sample', next: [] },
  completed:             { top: 'completed',         next: ['corrected'] },
  corrected:             { top: 'completed',         next: ['corrected'] },
  sample_error:          { top: 'failed',            next: [] },
  cancelled:             { top: 'cancelled',         next: [] },
});

// prettier-ignore
export const atHomePhlebotomy = machine({
  ordered:               { top: 'received',          cancel: true, next: ['requisition_created', 'requisition_bypassed', 'cancelled'] },
  requisition_created:   { top: 'received',          cancel: true, next: ['appointment_scheduled', 'appointment_pending', 'cancelled'] },
  requisition_bypassed:  { top: 'received',          cancel: true, next: ['appointment_scheduled', 'appointment_pending', 'cancelled'] },
  appointment_pending:   { top: 'collecting_sample', cancel: true, next: ['appointment_scheduled', 'appointment_cancelled', 'cancelled'] },
  appointment_scheduled: { top: 'collecting_sample', cancel: true, next: ['draw_completed', 'appointment_scheduled', 'appointment_cancelled', 'cancelled'] },
  appointment_cancelled: { top: 'collecting_sample', cancel: true, next: ['appointment_scheduled', 'appointment_pending', 'cancelled'] },
  draw_completed:        { top: 'collecting_sample', cancel: true, next: ['completed', 'partial_results', 'sample_error', 'cancelled'] },
  partial_results:       { top: 'sample_with_lab',   next: ['completed', 'partial_results', 'sample_error'] },
  completed:             { top: 'completed',         next: ['corrected'] },
  corrected:             { top: 'completed',         next: ['corrected'] },
  sample_error:          { top: 'failed',            next: [] },
  cancelled:             { top: 'cancelled',         next: [] },
});

// prettier-ignore
export const onSiteCollection = machine({
  ordered:               { top: 'received',          cancel: true, next: ['requisition_created', 'requisition_bypassed', 'cancelled'] },
  requisition_created:   { top: 'received',          cancel: true, next: ['draw_completed', 'cancelled'] },
  requisition_bypassed:  { top: 'received',          cancel: true, next: ['draw_completed', 'cancelled'] },
  draw_completed:        { top: 'sample_with_lab',   cancel: true, next: ['completed', 'partial_results', 'sample_error', 'cancelled'] },
  partial_results:       { top: 'sample_with_lab',   next: ['completed', 'partial_results', 'sample_error'] },
  completed:             { top: 'completed',         next: ['corrected'] },
  corrected:             { top: 'completed',         next: ['corrected'] },
  sample_error:          { top: 'failed',            next: [] },
  cancelled:             { top: 'cancelled',         next: [] },
});

const MACHINES = {
  testkit,
  walk_in_test: walkIn,
  at_home_phlebotomy: atHomePhlebotomy,
  on_site_collection: onSiteCollection,
};

export type Modality = keyof typeof MACHINES;
export type Step = { [M in Modality]: keyof (typeof MACHINES)[M] }[Modality];

/** The four journeys under one type, for code that walks them. */
export const machines: Readonly<Record<Modality, Readonly<Partial<Record<Step, Row<Step>>>>>> = MACHINES;

export const MODALITIES = ['testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection'] as const;

/** What decides whether an edge of the table is open for one order. */
export interface Facts {
  readonly modality: Modality;
  readonly step: Step;
  readonly leg: Leg;
  /** A kit that is sent before its patient is known, and registered by its sample id. */
  readonly registrable: boolean;
  readonly registered: boolean;
  /** Whether the laboratory knows of the order; absent as long as it does not. */
  readonly hasRequisition?: boolean;
}

const rowOf = ({ modality, step }: Pick<Facts, 'modality' | 'step'>): Row<Step> | undefined =>
  machines[modality][step];

/** Conditions of the test kit that no edge can carry: an edge without a row here is always open. */
const conditions: Readonly<Partial<Record<`${Step}>${Step}`, (facts: Facts) => boolean>>> = {
  'ordered>awaiting_registration': ({ registrable }) => registrable,
  'ordered>requisition_created': ({ modality, registrable }) => modality !== 'testkit' || !registrable,
  'awaiting_registration>testkit_registered': ({ registered }) => registered,
  'with_customer>testkit_registered': ({ registrable, registered }) => registrable && registered,
  // What comes to a laboratory that was not asked for anything lies there, and nobody asks it any more.
  'with_customer>transit_lab': ({ registrable, hasRequisition = false }) => !registrable || hasRequisition,
  'requisition_created>transit_customer': ({ leg }) => leg === 'stock',
  'requisition_created>transit_lab': ({ leg }) => leg === 'customer',
  'requisition_bypassed>transit_customer': ({ leg }) => leg === 'stock',
  'requisition_bypassed>transit_lab': ({ leg }) => leg === 'customer',
};

/** Whether the journey goes from here to there. Cancelling has a rule of its own, `canCancel`. */
export function canMove(facts: Facts, to: Step): boolean {
  if (!rowOf(facts)?.next.includes(to)) return false;
  if (to === 'cancelled') return canCancel(facts);
  return conditions[`${facts.step}>${to}`]?.(facts) ?? true;
}

export function canCancel(facts: Facts): boolean {
  const rule = rowOf(facts)?.cancel;
  return rule === 'while_not_shipped' ? facts.leg === 'stock' : rule === true;
}

/** The facts after a move; the only place that knows how moves change them. */
export const after = (facts: Facts, to: Step): Facts => ({
  ...facts,
  step: to,
  leg: machines[facts.modality][to]?.leg ?? facts.leg,
  ...(isRequisition(to) ? { hasRequisition: true } : {}),
});

/** The steps with which a laboratory knows of an order. */
export const isRequisition = (step: Step): boolean =>
  step === 'requisition_created' || step === 'requisition_bypassed';

/** The steps from here to `to` along the shortest way, `to` last; undefined when there is none. */
export function shortestPath(from: Facts, to: Step): Step[] | undefined {
  const seen = new Set<string>();
  let edge: { facts: Facts; path: Step[] }[] = [{ facts: from, path: [] }];
  while (edge.length > 0) {
    const next: typeof edge = [];
    for (const { facts, path } of edge) {
      for (const step of rowOf(facts)?.next ?? []) {
        if (!canMove(facts, step)) continue;
        if (step === to) return [...path, step];
        const reached = after(facts, step);
        const key = `${reached.step} ${reached.leg} ${reached.hasRequisition}`;
        if (!seen.has(key)) next.push({ facts: reached, path: [...path, step] });
        seen.add(key);
      }
    }
    edge = next;
  }
  return undefined;
}

export const topLevel = (modality: Modality, step: Step): TopLevel =>
  machines[modality][step]?.top ?? 'received';

/** The public status, `<top>.<modality>.<step>`. Derived, never stored: nothing can contradict it. */
export const publicStatus = (modality: Modality, step: Step): string =>
  `${topLevel(modality, step)}.${modality}.${step}`;

/** Every public status that there is, in the order of the tables. */
export const PUBLIC_STATUSES: readonly string[] = MODALITIES.flatMap((modality) =>
  Object.keys(machines[modality]).map((step) => publicStatus(modality, step as Step)),
);

export const STEPS: readonly Step[] = [
  ...new Set(MODALITIES.flatMap((modality) => Object.keys(machines[modality]) as Step[])),
];

/** A step by its name, or by the name that older clients know it by. */
export function stepNamed(name: string): Step | undefined {
  const ours = name === 'registered' ? 'testkit_registered' : name;
  return STEPS.find((step) => step === ours);
}

/** Whether nothing more is expected of an order at this step, but for a correction by the lab. */
export const isOver = (modality: Modality, step: Step): boolean =>
  (machines[modality][step]?.next ?? []).every((next) => next === 'corrected');

export const STATUS_DETAILS = [
  'fulfillment_error',
  'date_of_collection_unspecified',
  'demographic_information_unspecified',
  'demographic_information_mismatch',
  'sample_quantity_not_sufficient',
  'sample_contaminated',
  'sample_stability_exceeded',
  'sample_hemolyzed',
  'sample_improper_collection',
] as const;
export type StatusDetail = (typeof STATUS_DETAILS)[number];
