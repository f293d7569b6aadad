import type { ReceivedReport } from '../../adapters/lab-network/port.ts';
import { factsOf, type Order } from '../../ordering/orders/orders.ts';
import {
  isFinalStep,
  shortestPath,
  topLevel,
  type OrderFacts,
  type OrderStep,
} from '../../ordering/orders/status.ts';
import type { MatchHindrance } from './match-candidate.ts';

/** Without a booked phlebotomist, the sample was collected elsewhere. */
const STEPS_WITHOUT_VISIT: ReadonlySet<OrderStep> = new Set([
  'ordered',
  'requisition_created',
  'requisition_bypassed',
  'appointment_pending',
  'appointment_cancelled',
]);

export const isReported = ({ step }: Pick<Order, 'step'>): boolean =>
  step === 'completed' || step === 'corrected';

/** Why an order cannot accept a report of this laboratory automatically; null if it can. */
export function findHindrance(order: Order, { lab }: Pick<ReceivedReport, 'lab'>): MatchHindrance | null {
  if (order.lab_slug !== lab) return 'wrong_lab';
  if (topLevel(order.modality, order.step) === 'cancelled') return 'cancelled';
  if (order.registrable && order.registered_at === null) return 'not_registered';
  if (isReported(order)) return null;
  if (isFinalStep(order.modality, order.step)) return 'over';
  if (order.modality === 'at_home_phlebotomy' && STEPS_WITHOUT_VISIT.has(order.step))
    return 'wrong_collection';
  return null;
}

export type ReportTargetStep =
  'partial_results' | 'delivered_to_lab' | 'completed' | 'redraw_available' | 'sample_error';

/** Paths that replace the shortest one, which would include a visit that may never have been booked. */
const STEP_OVERRIDES: Readonly<Partial<Record<`${OrderStep}>${ReportTargetStep}`, readonly OrderStep[]>>> = {
  'appointment_cancelled>redraw_available': ['partial_results', 'redraw_available'],
  'appointment_cancelled>sample_error': ['partial_results', 'sample_error'],
};

/**
 * The steps of an order up to and including the target. A result proves unreported steps, such as the arrival of the
 * kit or the draw. Undefined if the target cannot be reached.
 */
export function findStepsTo(order: Order, target: ReportTargetStep): readonly OrderStep[] | undefined {
  const facts: OrderFacts = factsOf(order);
  if (facts.step === target && target !== 'partial_results') return [];
  return STEP_OVERRIDES[`${facts.step}>${target}`] ?? shortestPath(facts, target);
}
