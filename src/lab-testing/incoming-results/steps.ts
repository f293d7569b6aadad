import type { ReceivedReport } from '../../adapters/lab-network/port.ts';
import { factsOf, type Order } from '../orders/orders.ts';
import { isOver, shortestPath, topLevel, type Facts, type Step } from '../orders/status.ts';
import type { Hindrance } from './candidate.ts';

/** Where a phlebotomist has not been booked nobody was there to draw: the patient went somewhere else. */
const NO_VISIT: ReadonlySet<Step> = new Set([
  'ordered',
  'requisition_created',
  'requisition_bypassed',
  'appointment_pending',
  'appointment_cancelled',
]);

export const isReported = ({ step }: Pick<Order, 'step'>): boolean =>
  step === 'completed' || step === 'corrected';

/** What hinders an order from taking a report of this laboratory by itself; null when nothing does. */
export function hindranceOf(order: Order, { lab }: Pick<ReceivedReport, 'lab'>): Hindrance | null {
  if (order.lab_slug !== lab) return 'wrong_lab';
  if (topLevel(order.modality, order.step) === 'cancelled') return 'cancelled';
  if (order.registrable && order.registered_at === null) return 'not_registered';
  if (isReported(order)) return null;
  if (isOver(order.modality, order.step)) return 'over';
  if (order.modality === 'at_home_phlebotomy' && NO_VISIT.has(order.step)) return 'wrong_collection';
  return null;
}

export type Target =
  'partial_results' | 'delivered_to_lab' | 'completed' | 'redraw_available' | 'sample_error';

/** Where the shortest way would tell of a visit that may never have been booked, and another way does not. */
const WAYS: Readonly<Partial<Record<`${Step}>${Target}`, readonly Step[]>>> = {
  'appointment_cancelled>redraw_available': ['partial_results', 'redraw_available'],
  'appointment_cancelled>sample_error': ['partial_results', 'sample_error'],
};

/**
 * The steps of an order to where a report takes it, the last one included. A result proves what nobody told us of: that
 * the kit arrived, that the draw took place. Undefined where the journey leads nowhere any more.
 */
export function stepsTo(order: Order, target: Target): readonly Step[] | undefined {
  const facts: Facts = factsOf(order);
  if (facts.step === target && target !== 'partial_results') return [];
  return WAYS[`${facts.step}>${target}`] ?? shortestPath(facts, target);
}
