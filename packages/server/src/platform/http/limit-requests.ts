import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../errors.ts';
import { networkOfAddress } from '../network-of-address.ts';
import { createRateLimiter, RateLimitError, type RateLimit } from '../rate-limit/rate-limiter.ts';
import type { Platform } from '../work.ts';
import { openExemption } from './connections.ts';
import { openRefusalPace, type RefusalPace } from './refusal-pace.ts';
import type { Authenticator, ManagementPrincipal, TeamPrincipal } from './route.ts';

/** A request, and the response that gets the headers. */
interface LimitedExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Counts requests against the limits of their caller, before their body is read. All throw RateLimitError. */
export interface RequestLimiter {
  /** Counts a request without a valid key against its address. */
  address(exchange: LimitedExchange): Promise<void>;
  team(exchange: LimitedExchange, caller: TeamCaller): Promise<void>;
  management(exchange: LimitedExchange, caller: OrganizationCaller): Promise<void>;
  /** Runs an authentication; a request that it refuses counts against its address. */
  countFailures<T>(exchange: LimitedExchange, authenticate: () => Promise<T>): Promise<T>;
}

/** An authenticated caller, and what its request costs. */
interface TeamCaller {
  readonly gate: Authenticator;
  readonly principal: TeamPrincipal;
  readonly cost: number;
}

type OrganizationCaller = Pick<ManagementPrincipal, 'keyId'> & { readonly cost: number };

const COST_WITHOUT_KEY = 1;

export function openRequestLimiter(app: Platform): RequestLimiter {
  const { config } = app;
  const isExempt = openExemption(config.TRUSTED_PROXIES);
  const pace = openRefusalPace(app);
  const count = openCounter(app, pace);
  const address = async (exchange: LimitedExchange) => {
    const { ip } = exchange.request;
    if (isExempt(ip)) return;
    const bucket = `address:${networkOfAddress(ip)}`;
    const perMinute = config.RATE_LIMIT_ADDRESS;
    // Callers of several tenants may share an address.
    await count(exchange, [{ name: 'address', bucket, perMinute, isShown: false }], COST_WITHOUT_KEY);
  };
  return {
    address,
    team: async (exchange, { gate, principal, cost }) => {
      const { teamId, environment } = principal.tenant;
      const own = await gate.rateLimitsOf?.(principal.tenant);
      const team = {
        name: 'team',
        bucket: `team:${teamId}:${environment}`,
        perMinute: own?.teamPerMinute ?? config.RATE_LIMIT_TEAM,
        // The app of a user learns nothing about the others.
        isShown: principal.kind !== 'user',
      } as const;
      const perMinute = own?.keyPerMinute ?? config.RATE_LIMIT_KEY;
      const key = { name: 'key', bucket: `key:${principal.keyId}`, perMinute, isShown: true } as const;
      await count(exchange, [team, key], cost);
    },
    management: async (exchange, { keyId, cost }) => {
      const bucket = `key:${keyId}`;
      const key = { name: 'key', bucket, perMinute: config.RATE_LIMIT_KEY, isShown: true } as const;
      await count(exchange, [key], cost);
    },
    countFailures: async (exchange, authenticate) => {
      try {
        return await authenticate();
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        if (error.kind === 'unauthorized') await address(exchange);
        if (error.kind === 'too_many') await pace(`address:${networkOfAddress(exchange.request.ip)}`);
        throw error;
      }
    },
  };
}

/** Counts a request against limits, and describes them in its response. A refusal is thrown when it may be answered. */
function openCounter(app: Platform, pace: RefusalPace) {
  const limit = createRateLimiter(app);
  return async ({ reply }: LimitedExchange, limits: readonly RateLimit[], cost: number): Promise<void> => {
    try {
      void reply.headers(await limit(limits, cost));
    } catch (error) {
      const [widest] = limits;
      if (widest && error instanceof RateLimitError) await pace(widest.bucket);
      throw error;
    }
  };
}
