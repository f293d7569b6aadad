import { DomainError } from '../../platform/errors.ts';
import type { TeamPrincipal } from '../../platform/http/route.ts';
import type { Work } from '../../platform/work.ts';
import { hasEverConnected } from '../lab-connections/lab-connections.ts';

const FEATURE = 'unmatched_results';

/**
 * Unmatched results are a closed beta, except for a team with a laboratory connection: only there can its results be
 * decided. 403 for others.
 */
export async function requireReviewAccess(
  work: Work,
  { features }: Pick<TeamPrincipal, 'features'>,
): Promise<void> {
  if (features.has(FEATURE) || (await hasEverConnected(work))) return;
  throw new DomainError(
    'forbidden',
    `The feature ${FEATURE} is not enabled for this team, and it has no laboratory connection`,
  );
}
