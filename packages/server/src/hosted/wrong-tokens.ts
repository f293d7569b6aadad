import type { App } from '../app.ts';
import {
  createFailedAuthenticationLimiter,
  type FailedAuthenticationLimiter,
} from '../identity/management/management.ts';

const limiters = new WeakMap<App, FailedAuthenticationLimiter>();

function limiterOf(app: App): FailedAuthenticationLimiter {
  const known = limiters.get(app);
  if (known) return known;
  const made = createFailedAuthenticationLimiter(app.clock, 'token');
  limiters.set(app, made);
  return made;
}

/** Counts a wrong token of any hosted page from an address. Throws a 429 after 20 in a minute. */
export function recordWrongToken(app: App, address: string): void {
  const refused = limiterOf(app).recordFailure(address);
  if (refused.kind === 'too_many') throw refused;
}

/** Throws a 429 where an address has sent too many wrong tokens. For codes short enough to be guessed: also a right one. */
export function requireTriesLeft(app: App, address: string): void {
  const refused = limiterOf(app).findExhausted(address);
  if (refused) throw refused;
}
