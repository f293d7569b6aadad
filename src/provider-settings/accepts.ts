import { PROVIDERS } from '../wearables/schema.ts';
import { DETAILS } from './details.ts';
import { APPOINTMENT_PROVIDERS, LAB_PROVIDERS, LABS, OAUTH_PROVIDERS } from './lists.ts';

/** What the own account of a team consists of. */
export interface Accepts {
  /** Whether it cannot be used without a client id, or without a secret. */
  readonly needs: readonly ('client_id' | 'client_secret')[];
  readonly hasDetails: boolean;
}

const OAUTH: ReadonlySet<string> = new Set(OAUTH_PROVIDERS);
const OTHERS: ReadonlySet<string> = new Set([...LABS, ...LAB_PROVIDERS, ...APPOINTMENT_PROVIDERS]);

/** Whatever credentials can be named for. */
export const SOURCES: ReadonlySet<string> = new Set([...PROVIDERS, ...OTHERS]);

/** Undefined: it is reached with what the user brings, and a team has no account there. */
export function acceptedBy(source: string): Accepts | undefined {
  const hasDetails = source in DETAILS;
  if (OAUTH.has(source)) return { needs: ['client_id', 'client_secret'], hasDetails };
  // A practice's number is all that there is.
  if (source === 'freestyle_libre') return { needs: ['client_id'], hasDetails };
  if (OTHERS.has(source) && source !== 'manual') return { needs: [], hasDetails };
  return undefined;
}

export const isOAuth = (source: string): boolean => OAUTH.has(source);
