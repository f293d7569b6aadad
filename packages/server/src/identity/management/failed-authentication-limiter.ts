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
  /** Counts an invalid key from this address, and returns the error to respond with: `refusal`, or a 429. */
  recordFailure(address: string, refusal?: DomainError): DomainError;
  /** The 429 for an address that has had its failures of this minute, for credentials short enough to be guessed. */
  findExhausted(address: string): DomainError | undefined;
}

export const invalidKeyError = () => new DomainError('unauthorized', 'Invalid API key');

/**
 * Counts invalid keys per address, in this process. After 20 in a minute every further one gets 429 until the minute
 * is over. Requests with a valid key are never limited, even from the same address, unless the caller asks for that.
 * `credential` names what is counted.
 */
export function createFailedAuthenticationLimiter(
  clock: Clock,
  credential = 'API key',
): FailedAuthenticationLimiter {
  const seen = new LRUCache<string, FailedAttempts>({ max: ADDRESSES_MAX });
  const refuse = ({ startedMs }: FailedAttempts) => {
    const leftMs = Math.min(WINDOW_MS, startedMs + WINDOW_MS - clock.now().getTime());
    const seconds = Math.ceil(leftMs / SECOND);
    return new DomainError('too_many', `Too many requests with an invalid ${credential}`, seconds);
  };
  const findRecent = (network: string) => {
    const known = seen.get(network);
    // A clock that was set back must not lock out an address for longer than a minute.
    return known && Math.abs(clock.now().getTime() - known.startedMs) < WINDOW_MS ? known : undefined;
  };
  return {
    recordFailure: (address, refusal = invalidKeyError()) => {
      const network = networkOfAddress(address);
      const tries = findRecent(network) ?? { startedMs: clock.now().getTime(), count: 0 };
      tries.count += 1;
      seen.set(network, tries);
      return tries.count <= FAILURES_MAX ? refusal : refuse(tries);
    },
    findExhausted: (address) => {
      const tries = findRecent(networkOfAddress(address));
      return tries && tries.count >= FAILURES_MAX ? refuse(tries) : undefined;
    },
  };
}
