import { DomainError, invalidField } from '../../platform/errors.ts';
import { factsOf, type Order } from '../orders/orders.ts';
import { shortestPath, stepNamed, type Step } from '../orders/status.ts';

/**
 * The steps from where the order stands to the status that is wished, along the shortest way of its journey.
 * 400 for a kit that nobody registered and for a status of another modality; 409 where no way leads.
 */
export function pathTo(
  order: Order,
  wished: string | null,
  whenNone: 'fail' | 'or nothing' = 'fail',
): Step[] {
  const target = stepOf(order, wished ?? 'completed');
  const path = shortestPath(factsOf(order), target);
  if (path) return path;
  if (whenNone === 'or nothing') return [];
  const registered = shortestPath({ ...factsOf(order), registered: true }, target);
  if (order.registrable && order.registered_at === null && registered) {
    throw new DomainError(
      'bad_request',
      `Kit ${order.sample_id ?? ''} is not registered: it cannot go beyond with_customer`,
    );
  }
  throw new DomainError('conflict', `Transition from ${order.step} to ${target} is not allowed`);
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
