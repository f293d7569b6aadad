import { v5 } from 'uuid';

/** Identifies a summary across ingestions. */
export interface SummaryIdentity {
  readonly userId: string;
  readonly resource: string;
  readonly provider: string;
  readonly key: string;
}

/**
 * Derives the id of a summary (UUID v5) from its identity, so that it is stable and known before the summary arrives:
 * samples of a workout refer to it. User ids are unique across tenants, so these ids are too.
 */
export const deriveSummaryId = ({ userId, resource, provider, key }: SummaryIdentity): string =>
  v5(JSON.stringify([resource, provider, key]), userId);
