import { z } from 'zod';
import { DomainError, invalidField } from '../platform/errors.ts';
import { factsOf, type Order } from '../ordering/orders/orders.ts';
import {
  factsAfter,
  machines,
  shortestPath,
  STATUS_DETAILS,
  parseStep,
  STEPS,
  type OrderFacts,
  type StatusDetail,
  type OrderStep,
} from '../ordering/orders/status.ts';
import { findScenario, type ScenarioStop } from './scenarios.ts';

const PlannedPerson = z.object({ seed: z.string(), day: z.int() });

/** One planned step with the data that it sets. */
export const PlannedStep = z.object({
  to: z.enum(STEPS),
  detail: z.enum(STATUS_DETAILS).nullable(),
  interpretation: z.enum(['normal', 'abnormal', 'critical', 'unknown']),
  result_types: z.array(z.enum(['numeric', 'range', 'comment', 'coded_value'])).nullable(),
  has_missing_results: z.boolean(),
  person: PlannedPerson.nullable().default(null),
});
export type PlannedStep = z.output<typeof PlannedStep>;

/** A simulation request. */
export interface SimulationRequest extends Omit<PlannedStep, 'to' | 'detail'> {
  readonly order_id: string;
  /** A public status or a step; null means `completed`. */
  readonly final_status: string | null;
  readonly status_detail: StatusDetail | null;
  readonly scenario: string | null;
  /** Whether to take only the next step of the path. */
  readonly single_step: boolean;
  readonly delay_seconds: number;
}

/** Default details of failure steps. Other steps have no detail. */
export const DEFAULT_STATUS_DETAILS: Readonly<Partial<Record<OrderStep, StatusDetail>>> = {
  lab_processing_blocked: 'date_of_collection_unspecified',
  sample_error: 'sample_quantity_not_sufficient',
};

/**
 * Plans the steps from the order's current step to the requested status, on the shortest path, or the remaining steps
 * of a scenario. 400 for an unregistered kit and for a status or scenario of another modality; 409 if there is no path.
 */
export function planSimulation(order: Order, wish: SimulationRequest): PlannedStep[] {
  const stops = resolveStops(order, wish);
  const plan: PlannedStep[] = [];
  let facts = factsOf(order);
  for (const stop of stops) {
    for (const to of requirePath(order, facts, stop.to)) {
      facts = factsAfter(facts, to);
      plan.push(toPlannedStep(to, { wish, stop }));
    }
  }
  return wish.single_step ? plan.slice(0, 1) : plan;
}

function toPlannedStep(
  to: OrderStep,
  { wish, stop }: { wish: SimulationRequest; stop: ScenarioStop },
): PlannedStep {
  const isStop = to === stop.to;
  return {
    to,
    detail: (isStop ? stop.detail : undefined) ?? DEFAULT_STATUS_DETAILS[to] ?? null,
    interpretation: stop.interpretation ?? wish.interpretation,
    result_types: wish.result_types,
    person: wish.person,
    // A redraw requires missing results.
    has_missing_results:
      (isStop ? stop.missing : undefined) ?? (to === 'redraw_available' || wish.has_missing_results),
  };
}

function resolveStops(order: Order, wish: SimulationRequest): readonly ScenarioStop[] {
  const { scenario: name, final_status: status, status_detail: detail } = wish;
  if (name === null) {
    const to = parseTargetStep(order, status ?? 'completed');
    if (detail !== null && DEFAULT_STATUS_DETAILS[to] === undefined) {
      throw invalidField(['query', 'status_detail'], `expected no detail for ${to}`);
    }
    return [{ to, ...(detail === null ? {} : { detail }) }];
  }
  if (status !== null || detail !== null) {
    throw invalidField(
      ['query', 'scenario'],
      'expected either a scenario, or final_status and status_detail',
    );
  }
  const scenario = findScenario(order.modality, name);
  if (scenario) return remainingStops(order, scenario.stops);
  throw new DomainError('bad_request', `${name} is not a scenario of ${order.modality} orders`);
}

/**
 * The remaining stops, if the order is on the path of the scenario: it has passed the earlier stops, and moved only
 * along the path to the next one. All stops if the order is not on the path, or has finished it.
 */
function remainingStops(order: Order, stops: readonly ScenarioStop[]): readonly ScenarioStop[] {
  const steps = order.events.map(({ step }) => step);
  let [passed, since] = [0, 0];
  for (const [at, step] of steps.entries()) {
    if (step === stops[passed]?.to) [passed, since] = [passed + 1, at + 1];
  }
  const [last, next] = [stops[passed - 1], stops[passed]];
  if (!last || !next) return stops;
  const facts = factsOf(order);
  const atLast = { ...facts, step: last.to, leg: machines[order.modality][last.to]?.leg ?? facts.leg };
  const way = shortestPath(atLast, next.to);
  const isOnIt = steps.slice(since).every((step, at) => step === way?.[at]);
  return isOnIt ? stops.slice(passed) : stops;
}

function parseTargetStep(order: Order, wished: string): OrderStep {
  const [name, modality] = wished.split('.').reverse();
  const step = parseStep(name ?? '');
  if (!step) throw invalidField(['query', 'final_status'], `expected a status of ${order.modality}`);
  if (modality !== undefined && modality !== order.modality) {
    throw new DomainError('bad_request', `${wished} is not a status of ${order.modality} orders`);
  }
  return step;
}

const NOT_REGISTRABLE =
  'its patient is known, so its kit needs no registration; POST /v3/order/testkit creates a registrable kit';

function requirePath(order: Order, facts: OrderFacts, target: OrderStep): OrderStep[] {
  const path = shortestPath(facts, target);
  if (path) return path;
  if (facts.registrable && !facts.registered && shortestPath({ ...facts, registered: true }, target)) {
    throw new DomainError(
      'bad_request',
      `Kit ${order.sample_id ?? ''} is not registered, so it cannot move past with_customer: register it with POST /v3/order/testkit/register`,
    );
  }
  const isForOthers =
    !facts.registrable && shortestPath({ ...facts, registrable: true, registered: true }, target);
  const why = isForOthers ? `: ${NOT_REGISTRABLE}` : '';
  throw new DomainError('conflict', `Transition from ${facts.step} to ${target} is not allowed${why}`);
}
