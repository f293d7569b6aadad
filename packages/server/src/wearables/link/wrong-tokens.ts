import type { App } from '../../app.ts';
import {
  createFailedAuthenticationLimiter,
  type FailedAuthenticationLimiter,
} from '../../identity/management/management.ts';
import { LinkError } from '../connections/connect.ts';

const limiters = new WeakMap<App, FailedAuthenticationLimiter>();

function limiterOf(app: App): FailedAuthenticationLimiter {
  const known = limiters.get(app);
  if (known) return known;
  const made = createFailedAuthenticationLimiter(app.clock, 'token');
  limiters.set(app, made);
  return made;
}

/** Counts a wrong link or portal token from an address. Throws a 429 after 20 in a minute. */
export function recordWrongToken(app: App, address: string): void {
  const refused = limiterOf(app).recordFailure(address);
  if (refused.kind === 'too_many') throw refused;
}

/** Opens a link token, and counts a wrong one. */
export async function countWrongTokens<T>(app: App, address: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof LinkError && error.errorType === 'invalid_token') recordWrongToken(app, address);
    throw error;
  }
}
