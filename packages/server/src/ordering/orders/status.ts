/**
 * The state machines of an order, one table for each collection method. A row is a step, `next` its transitions. Steps
 * without a row do not exist. `conditions` guards single transitions by facts that the table cannot express.
 */

export type TopLevelStatus =
  'received' | 'collecting_sample' | 'sample_with_lab' | 'completed' | 'cancelled' | 'failed';

/** Where a test kit is: `stock` until it is sent; in transit on the `outbound` and `inbound` legs. */
export type KitLeg = 'stock' | 'outbound' | 'customer' | 'inbound' | 'lab';

export interface OrderStepRule<Step extends string> {
  readonly top: TopLevelStatus;
  readonly next: readonly Step[];
  /** Whether the team may still cancel here. */
  readonly cancel?: boolean | 'while_not_shipped';
  /** Where the kit is at this step; unchanged when absent. */
  readonly leg?: KitLeg;
}

/** A `next` without a row of its own does not compile. */
const defineMachine = <const Steps extends string>(rows: {
  readonly [Step in Steps]: OrderStepRule<NoInfer<Steps>>;
}) => rows;

// prettier-ignore
const testkitMachine = defineMachine({
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
const walkInMachine = defineMachine({
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
const atHomePhlebotomyMachine = defineMachine({
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
const onSiteCollectionMachine = defineMachine({
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

const TYPED_MACHINES = {
  testkit: testkitMachine,
  walk_in_test: walkInMachine,
  at_home_phlebotomy: atHomePhlebotomyMachine,
  on_site_collection: onSiteCollectionMachine,
};

export type OrderModality = keyof typeof TYPED_MACHINES;
export type OrderStep = { [M in OrderModality]: keyof (typeof TYPED_MACHINES)[M] }[OrderModality];

/** The four state machines under one type. */
export const machines: Readonly<
  Record<OrderModality, Readonly<Partial<Record<OrderStep, OrderStepRule<OrderStep>>>>>
> = TYPED_MACHINES;

export const MODALITIES = ['testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection'] as const;

/** The properties of an order that decide which transitions are allowed. */
export interface OrderFacts {
  readonly modality: OrderModality;
  readonly step: OrderStep;
  readonly leg: KitLeg;
  /** Whether the order is for a kit that is sent before its patient is known. */
  readonly registrable: boolean;
  readonly registered: boolean;
  /** Whether the laboratory has the requisition; absent until it does. */
  readonly hasRequisition?: boolean;
}

const findRule = ({
  modality,
  step,
}: Pick<OrderFacts, 'modality' | 'step'>): OrderStepRule<OrderStep> | undefined => machines[modality][step];

/** Guards on single transitions; a transition without one is always allowed. */
const transitionGuards: Readonly<
  Partial<Record<`${OrderStep}>${OrderStep}`, (facts: OrderFacts) => boolean>>
> = {
  'ordered>awaiting_registration': ({ registrable }) => registrable,
  'ordered>requisition_created': ({ modality, registrable }) => modality !== 'testkit' || !registrable,
  'awaiting_registration>testkit_registered': ({ registered }) => registered,
  'with_customer>testkit_registered': ({ registrable, registered }) => registrable && registered,
  // A laboratory cannot process a specimen without a requisition, and none is requested once the kit is there.
  'with_customer>transit_lab': ({ registrable, hasRequisition = false }) => !registrable || hasRequisition,
  'requisition_created>transit_customer': ({ leg }) => leg === 'stock',
  'requisition_created>transit_lab': ({ leg }) => leg === 'customer',
  'requisition_bypassed>transit_customer': ({ leg }) => leg === 'stock',
  'requisition_bypassed>transit_lab': ({ leg }) => leg === 'customer',
};

/** Whether the transition to `to` is allowed. Cancelling has a rule of its own, `canCancel`. */
export function canMove(facts: OrderFacts, to: OrderStep): boolean {
  if (!findRule(facts)?.next.includes(to)) return false;
  if (to === 'cancelled') return canCancel(facts);
  return transitionGuards[`${facts.step}>${to}`]?.(facts) ?? true;
}

export function canCancel(facts: OrderFacts): boolean {
  const rule = findRule(facts)?.cancel;
  return rule === 'while_not_shipped' ? facts.leg === 'stock' : rule === true;
}

/** The facts after a transition. No other code derives them. */
export const factsAfter = (facts: OrderFacts, to: OrderStep): OrderFacts => ({
  ...facts,
  step: to,
  leg: machines[facts.modality][to]?.leg ?? facts.leg,
  ...(isRequisitionStep(to) ? { hasRequisition: true } : {}),
});

/** The steps at which the laboratory has the requisition. */
export const isRequisitionStep = (step: OrderStep): boolean =>
  step === 'requisition_created' || step === 'requisition_bypassed';

/** The steps on the shortest path to `to`, inclusive (breadth-first search); undefined if there is none. */
export function shortestPath(from: OrderFacts, to: OrderStep): OrderStep[] | undefined {
  const seen = new Set<string>();
  let edge: { facts: OrderFacts; path: OrderStep[] }[] = [{ facts: from, path: [] }];
  while (edge.length > 0) {
    const next: typeof edge = [];
    for (const { facts, path } of edge) {
      for (const step of findRule(facts)?.next ?? []) {
        if (!canMove(facts, step)) continue;
        if (step === to) return [...path, step];
        const reached = factsAfter(facts, step);
        const key = `${reached.step} ${reached.leg} ${reached.hasRequisition}`;
        if (!seen.has(key)) next.push({ facts: reached, path: [...path, step] });
        seen.add(key);
      }
    }
    edge = next;
  }
  return undefined;
}

export const topLevel = (modality: OrderModality, step: OrderStep): TopLevelStatus =>
  machines[modality][step]?.top ?? 'received';

/** The public status, `<top>.<modality>.<step>`. Derived from the step, never stored. */
export const publicStatus = (modality: OrderModality, step: OrderStep): string =>
  `${topLevel(modality, step)}.${modality}.${step}`;

/** All public statuses, in the order of the tables. */
export const PUBLIC_STATUSES: readonly string[] = MODALITIES.flatMap((modality) =>
  Object.keys(machines[modality]).map((step) => publicStatus(modality, step as OrderStep)),
);

export const STEPS: readonly OrderStep[] = [
  ...new Set(MODALITIES.flatMap((modality) => Object.keys(machines[modality]) as OrderStep[])),
];

/** Parses a step name, including the name that older clients use. */
export function parseStep(name: string): OrderStep | undefined {
  const ours = name === 'registered' ? 'testkit_registered' : name;
  return STEPS.find((step) => step === ours);
}

/** Whether the step is final. A completed order can still be corrected by the laboratory. */
export const isFinalStep = (modality: OrderModality, step: OrderStep): boolean =>
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
