import { DomainError } from '../../platform/errors.ts';
import type { TeamPrincipal } from '../../platform/http/route.ts';
import type { Order } from './order.ts';

const ON_SITE = 'on_site_collection';

/**
 * On-site collection is a closed beta, and only the order shows whether it is used: 403 for a team without the feature.
 * The error rolls back everything that was done with the order in the same work.
 */
export function requireOnSiteFeature(principal: TeamPrincipal, order: Order): Order {
  if (order.modality !== ON_SITE || principal.features.has(ON_SITE)) return order;
  throw new DomainError('forbidden', `The feature ${ON_SITE} is not enabled for this team`);
}
