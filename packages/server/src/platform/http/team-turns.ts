import type { Config } from '../config.ts';
import { DomainError } from '../errors.ts';
import { createFairLimit, QueueFullError } from '../fair-limit.ts';
import type { Tenant } from '../tenant.ts';

const WAITING_PER_TEAM = 1000;
const RETRY_SECONDS = 1;

/** Runs the transaction of a request when it is the turn of its tenant. */
export type TeamTurns = <T>(tenant: Tenant, run: () => Promise<T>) => Promise<T>;

/**
 * Lets the tenants take turns before their requests take a database connection: the pool serves in the order of
 * arrival, so that one request would wait for all that another tenant has sent. Only the transaction waits for a turn:
 * a body that arrives slowly, or an external system that answers slowly, holds none.
 */
export function openTeamTurns({ DATABASE_POOL, HTTP_CONNECTIONS, HTTP_TEAM_CONCURRENCY }: Config): TeamTurns {
  const limit = createFairLimit({
    concurrency: DATABASE_POOL,
    concurrencyPerKey: Math.min(HTTP_TEAM_CONCURRENCY, DATABASE_POOL),
    concurrencyAlone: DATABASE_POOL,
    waitingMax: HTTP_CONNECTIONS,
    waitingPerKeyMax: WAITING_PER_TEAM,
  });
  return async ({ teamId, environment }, run) => {
    try {
      return await limit(`${teamId}:${environment}`, run);
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error;
      const wrong = `More than ${WAITING_PER_TEAM} requests of the team are waiting. Try again in 1 second.`;
      throw new DomainError('too_many', wrong, RETRY_SECONDS);
    }
  };
}
