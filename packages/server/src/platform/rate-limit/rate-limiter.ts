import { MINUTE } from '../clock.ts';
import { asSystem } from '../db/transact.ts';
import { DomainError } from '../errors.ts';
import type { Platform } from '../work.ts';
import { createSharedBuckets } from './shared-buckets.ts';
import { forgetFullBuckets, takeShared } from './store.ts';
import { createTokenBuckets, priceOf, type BucketQuota, type TakeTokens } from './token-buckets.ts';

type RateLimitName = 'team' | 'key' | 'address';

/** One limit that a request counts against. */
export interface RateLimit extends BucketQuota {
  readonly name: RateLimitName;
  /** Whether its level may be shown: that of a limit shared with callers of other tenants tells about their use. */
  readonly isShown: boolean;
}

/** Headers of the response, by lower-case name. */
type RateLimitHeaders = Readonly<Record<string, string>>;

const WINDOW_SECONDS = 60;

/** A 429 that names the limit. It carries the headers that describe all limits of the request. */
export class RateLimitError extends DomainError {
  readonly headers: RateLimitHeaders;

  constructor({ name, perMinute }: RateLimit, retrySeconds: number, headers: RateLimitHeaders) {
    const unit = retrySeconds === 1 ? 'second' : 'seconds';
    super(
      'too_many',
      `The rate limit of the ${name} is reached: ${perMinute} units per minute. Try again in ${retrySeconds} ${unit}.`,
      retrySeconds,
    );
    this.headers = headers;
  }
}

/** Counts a request against its limits, and returns the headers that tell what is left. Throws RateLimitError. */
type RateLimiter = (limits: readonly RateLimit[], cost: number) => Promise<RateLimitHeaders>;

type RateLimitPlatform = Pick<Platform, 'clock' | 'config' | 'db' | 'log'>;

/** Counts where RATE_LIMIT_STORE says: in the memory of this process, or in the database for all processes. */
export function createRateLimiter(app: RateLimitPlatform): RateLimiter {
  const memory = createTokenBuckets(() => app.clock.now().getTime());
  const take = app.config.RATE_LIMIT_STORE === 'postgres' ? shareBuckets(app, memory) : memory;
  return async (limits, cost) => {
    const counted = limits.filter(({ perMinute }) => perMinute > 0);
    if (counted.length === 0) return {};
    const { isTaken, levels } = await take(counted, cost);
    if (!isTaken) throw refusalOf(counted, levels, cost);
    return describeLimits(counted.map((limit, index) => stateOf(limit, levels[index] ?? 0)));
  };
}

const FORGET_INTERVAL_MS = MINUTE;

function shareBuckets({ db, log }: RateLimitPlatform, fallback: TakeTokens) {
  const nowMs = () => performance.now();
  let forgotMs = nowMs();
  return createSharedBuckets({
    fallback,
    nowMs,
    take: (requests) =>
      asSystem(db, async (tx) => {
        if (nowMs() - forgotMs > FORGET_INTERVAL_MS) {
          forgotMs = nowMs();
          await forgetFullBuckets(tx);
        }
        return takeShared(tx, requests);
      }),
    onFailure: (err) => log.warn({ err }, 'shared rate limits failed; this process counts for itself'),
  });
}

/** A limit as the headers describe it. */
interface RateLimitState {
  readonly limit: RateLimit;
  readonly left: number;
  readonly seconds: number;
}

/** What is left, and the time until the bucket is full again. */
const stateOf = (limit: RateLimit, level: number): RateLimitState => ({
  limit,
  left: Math.max(0, Math.floor(level)),
  seconds: secondsUntil(limit.perMinute - level, limit),
});

/** Names the limit that takes longest to have enough again. Its `t` and Retry-After are the same time. */
function refusalOf(limits: readonly RateLimit[], levels: readonly number[], cost: number): RateLimitError {
  const states = limits.map((limit, index) => stateOf(limit, levels[index] ?? 0));
  const waits = limits.map((limit, index) =>
    secondsUntil(priceOf(limit, cost) - (levels[index] ?? 0), limit),
  );
  const seconds = Math.max(...waits);
  const refused = states[waits.indexOf(seconds)];
  if (!refused) throw new Error('No limit refused');
  const others = states.filter((state) => state !== refused && state.limit.isShown);
  // That of a limit that is not shown otherwise is no secret now.
  const shown = { ...refused, seconds, limit: { ...refused.limit, isShown: true } };
  return new RateLimitError(refused.limit, seconds, describeLimits([shown, ...others]));
}

const secondsUntil = (missing: number, { perMinute }: RateLimit): number =>
  missing <= 0 ? 0 : Math.ceil((missing / perMinute) * WINDOW_SECONDS);

/**
 * The fields `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11: `q` units in `w` seconds;
 * `r` of them are left, and after `t` seconds all of them, or in a 429 as many as the request costs.
 */
function describeLimits(states: readonly RateLimitState[]): RateLimitHeaders {
  const shown = states.filter(({ limit }) => limit.isShown);
  if (shown.length === 0) return {};
  return {
    'ratelimit-policy': shown
      .map(({ limit }) => `"${limit.name}";q=${limit.perMinute};w=${WINDOW_SECONDS}`)
      .join(', '),
    ratelimit: shown.map(({ limit, left, seconds }) => `"${limit.name}";r=${left};t=${seconds}`).join(', '),
  };
}
