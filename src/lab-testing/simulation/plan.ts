import { z } from 'zod';
import { DomainError, invalidField } from '../../platform/errors.ts';
import { factsOf, type Order } from '../orders/orders.ts';
import {
  after,
  machines,
  shortestPath,
  STATUS_DETAILS,
  stepNamed,
  STEPS,
  type Facts,
  type StatusDetail,
  type Step,
} from '../orders/status.ts';
import { findScenario, type Stop } from './scenarios.ts';

/** One step that is to be taken, with all that is to be said of it. */
export const Planned = z.object({
  to: z.enum(STEPS),
  detail: z.enum(STATUS_DETAILS).nullable(),
  interpretation: z.enum(['normal', 'abnormal', 'critical', 'unknown']),
  result_types: z.array(z.enum(['numeric', 'range', 'comment', 'coded_value'])).nullable(),
  has_missing_results: z.boolean(),
});
export type Planned = z.output<typeof Planned>;

/** What a caller asks for. */
export interface Wish extends Omit<Planned, 'to' | 'detail'> {
  readonly order_id: string;
  /** A public status or a step; `completed` when nothing is wished. */
  readonly final_status: string | null;
  readonly status_detail: StatusDetail | null;
  readonly scenario: string | null;
  /** One step on the way, and no more. */
  readonly single_step: boolean;
  readonly delay_seconds: number;
}

/** The details that a simulated trouble carries when none is wished; other steps carry none. */
export const DETAILS: Readonly<Partial<Record<Step, StatusDetail>>> = {
  lab_processing_blocked: 'date_of_collection_unspecified',
  sample_error: 'sample_quantity_not_sufficient',
};

/**
 * The steps from where the order stands to what is wished, along the shortest way of its journey; what is left of a
 * scenario where the order has come by its stops.
 * 400 for a kit that nobody registered and for a status or scenario of another modality; 409 where no way leads.
 */
export function planOf(order: Order, wish: Wish): Planned[] {
  const stops = stopsOf(order, wish);
  const plan: Planned[] = [];
  let facts = factsOf(order);
  for (const stop of stops) {
    for (const to of pathTo(order, facts, stop.to)) {
      facts = after(facts, to);
      plan.push(planned(to, { wish, stop }));
    }
  }
  return wish.single_step ? plan.slice(0, 1) : plan;
}

function planned(to: Step, { wish, stop }: { wish: Wish; stop: Stop }): Planned {
  const isStop = to === stop.to;
  return {
    to,
    detail: (isStop ? stop.detail : undefined) ?? DETAILS[to] ?? null,
    interpretation: stop.interpretation ?? wish.interpretation,
    result_types: wish.result_types,
    // Another draw is offered only where the laboratory failed on something.
    has_missing_results:
      (isStop ? stop.missing : undefined) ?? (to === 'redraw_available' || wish.has_missing_results),
  };
}

function stopsOf(order: Order, wish: Wish): readonly Stop[] {
  const { scenario: name, final_status: status, status_detail: detail } = wish;
  if (name === null) {
    const to = stepOf(order, status ?? 'completed');
    if (detail !== null && DETAILS[to] === undefined) {
      throw invalidField(['query', 'status_detail'], `expected none: ${to} carries no detail`);
    }
    return [{ to, ...(detail === null ? {} : { detail }) }];
  }
  if (status !== null || detail !== null) {
    throw invalidField(['query', 'scenario'], 'expected without final_status and status_detail');
  }
  const scenario = findScenario(order.modality, name);
  if (scenario) return stopsLeft(order, scenario.stops);
  throw new DomainError(
    'bad_request',
    `The order is a ${order.modality} order; ${name} is not a scenario of it`,
  );
}

/**
 * The stops that are still to come where the order is on its way through them: it has been at the others, and has left
 * the last of those in the direction of the next. All of them where it is not, and where it has been through.
 */
function stopsLeft(order: Order, stops: readonly Stop[]): readonly Stop[] {
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

function stepOf(order: Order, wished: string): Step {
  const [name, modality] = wished.split('.').reverse();
  const step = stepNamed(name ?? '');
  if (!step) throw invalidField(['query', 'final_status'], `expected a status of ${order.modality}`);
  if (modality !== undefined && modality !== order.modality) {
    throw new DomainError(
      'bad_request',
      `The order is a ${order.modality} order; ${wished} is not a status of it`,
    );
  }
  return step;
}

const NOT_REGISTRABLE =
  'its patient is known, so that nobody registers its kit; POST /v3/order/testkit orders one that is registered';

function pathTo(order: Order, facts: Facts, target: Step): Step[] {
  const path = shortestPath(facts, target);
  if (path) return path;
  if (facts.registrable && !facts.registered && shortestPath({ ...facts, registered: true }, target)) {
    throw new DomainError(
      'bad_request',
      `Kit ${order.sample_id ?? ''} is not registered: it cannot go beyond with_customer`,
    );
  }
  const isForOthers =
    !facts.registrable && shortestPath({ ...facts, registrable: true, registered: true }, target);
  const why = isForOthers ? `: ${NOT_REGISTRABLE}` : '';
  throw new DomainError('conflict', `Transition from ${facts.step} to ${target} is not allowed${why}`);
}
