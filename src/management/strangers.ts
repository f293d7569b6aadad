import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { MINUTE, SECOND, type Clock } from '../platform/clock.ts';
import { DomainError } from '../platform/errors.ts';

const BAD_KEYS_MAX = 20;
const WITHIN_MS = MINUTE;
const ADDRESSES_MAX = 20_000;

interface Tries {
  readonly began: number;
  count: number;
}

export interface Strangers {
  /** What a bad key from this address is answered with. A good one is never asked for its address. */
  refusal(address: string): DomainError;
}

export const stranger = () => new DomainError('unauthorized', 'Invalid API key');

/**
 * Counts the bad keys of each address, in this process. After 20 in a minute every further one is answered with 429
 * until the minute is over. Customers who share an address with somebody who guesses go on: their keys are good.
 */
export function watchStrangers(clock: Clock): Strangers {
  const seen = new LRUCache<string, Tries>({ max: ADDRESSES_MAX });
  return {
    refusal: (address) => {
      const now = clock.now().getTime();
      const network = networkOf(address);
      const known = seen.get(network);
      // A clock that went back must not lock anybody out for longer than a minute.
      const isRecent = known !== undefined && Math.abs(now - known.began) < WITHIN_MS;
      const tries = isRecent ? known : { began: now, count: 0 };
      tries.count += 1;
      seen.set(network, tries);
      if (tries.count <= BAD_KEYS_MAX) return stranger();
      const leftMs = Math.min(WITHIN_MS, tries.began + WITHIN_MS - now);
      const seconds = Math.ceil(leftMs / SECOND);
      return new DomainError('too_many', 'Too many requests with an invalid API key', seconds);
    },
  };
}

/** An IPv4 address; of IPv6 the first 64 bits, all of whose addresses are in one hand. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
