import { LRUCache } from 'lru-cache';
import { MINUTE, SECOND, type Clock } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { networkOfAddress } from '../../platform/network-of-address.ts';

const FAILURES_MAX = 20;
const WINDOW_MS = MINUTE;
const ADDRESSES_MAX = 20_000;

interface FailedAttempts {
  readonly startedMs: number;
  count: number;
}

export interface FailedAuthenticationLimiter {
  /** Counts an invalid key from this address, and returns the error to respond with. */
  recordFailure(address: string): DomainError;
}

export const invalidKeyError = () => new DomainError('unauthorized', 'Invalid API key');

/**
 * Counts invalid keys per address, in this process. After 20 in a minute every further one gets 429 until the minute
 * is over. Requests with a valid key are never limited, even from the same address. `credential` names what is counted.
 */
export function createFailedAuthenticationLimiter(
  clock: Clock,
  credential = 'API key',
): FailedAuthenticationLimiter {
  const seen = new LRUCache<string, FailedAttempts>({ max: ADDRESSES_MAX });
  return {
    recordFailure: (address) => {
      const now = clock.now().getTime();
      const network = networkOfAddress(address);
      const known = seen.get(network);
      // A clock that was set back must not lock out an address for longer than a minute.
      const isRecent = known !== undefined && Math.abs(now - known.startedMs) < WINDOW_MS;
      const tries = isRecent ? known : { startedMs: now, count: 0 };
      tries.count += 1;
      seen.set(network, tries);
      if (tries.count <= FAILURES_MAX) return invalidKeyError();
      const leftMs = Math.min(WINDOW_MS, tries.startedMs + WINDOW_MS - now);
      const seconds = Math.ceil(leftMs / SECOND);
      return new DomainError('too_many', `Too many requests with an invalid ${credential}`, seconds);
    },
  };
}
