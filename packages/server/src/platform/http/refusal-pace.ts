import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { createTokenBuckets } from '../rate-limit/token-buckets.ts';

/** Refusals of one caller that are answered at once; one more each second. */
export const REFUSALS_AT_ONCE = 60;
const DELAY_MS = 500;
/** Refusals that are held at the same time, of all callers together. Further ones are answered at once. */
export const REFUSALS_HELD_MAX = 10_000;

interface RefusalPaceOptions {
  readonly clock: Clock;
  /** Resolves after the delay of a refusal. */
  readonly wait?: () => Promise<unknown>;
}

/** Resolves when a refusal may be answered. `caller` is the key, team or network that is refused. */
export type RefusalPace = (caller: string) => Promise<void>;

/**
 * Holds the 429s of callers that ignore them. A client that sends its next request as soon as the last one is refused
 * costs the event loop more with refusals than with requests that wait for the database, and a refusal that is late
 * makes it slower. A client that respects Retry-After never waits.
 */
export function openRefusalPace({ clock, wait = () => sleep(DELAY_MS) }: RefusalPaceOptions): RefusalPace {
  const take = createTokenBuckets(() => clock.now().getTime());
  let held = 0;
  return async (caller) => {
    if (take([{ bucket: caller, perMinute: REFUSALS_AT_ONCE }], 1).isTaken) return;
    if (held >= REFUSALS_HELD_MAX) return;
    held += 1;
    await wait().finally(() => (held -= 1));
  };
}
