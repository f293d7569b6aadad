import { DETAIL_SCHEMAS } from './details.ts';
import { APPOINTMENT_PROVIDERS, LAB_PROVIDERS, LABS, OAUTH_PROVIDERS } from './lists.ts';

/** The credentials that a source accepts from a team. */
export interface AcceptedCredentials {
  /** The required fields. */
  readonly needs: readonly ('client_id' | 'client_secret')[];
  readonly hasDetails: boolean;
}

const OAUTH: ReadonlySet<string> = new Set(OAUTH_PROVIDERS);
const NON_OAUTH_SOURCES: ReadonlySet<string> = new Set([...LABS, ...LAB_PROVIDERS, ...APPOINTMENT_PROVIDERS]);

/** Undefined if teams have no account with the source, because its users sign in themselves. */
export function getAcceptedCredentials(source: string): AcceptedCredentials | undefined {
  const hasDetails = source in DETAIL_SCHEMAS;
  if (OAUTH.has(source)) return { needs: ['client_id', 'client_secret'], hasDetails };
  // Only the number of the practice.
  if (source === 'freestyle_libre') return { needs: ['client_id'], hasDetails };
  if (NON_OAUTH_SOURCES.has(source) && source !== 'manual') return { needs: [], hasDetails };
  return undefined;
}

export const isOAuth = (source: string): boolean => OAUTH.has(source);
