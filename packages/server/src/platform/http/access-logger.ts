import { DomainError, statusOf } from '../errors.ts';
import type { Work } from '../work.ts';
import type { Tenant } from '../tenant.ts';
import type { ResponseSchemas, Method, RouteSchema, Scope, TeamPrincipal } from './route.ts';
import type { z } from 'zod';

type OptionalRouteSchema = z.ZodType | undefined;

/** The parts of a route that decide whether its accesses are logged. */
export interface LoggableRoute {
  readonly method: Method;
  readonly path: string;
  readonly scope: Scope;
  readonly schema: RouteSchema<
    OptionalRouteSchema,
    OptionalRouteSchema,
    OptionalRouteSchema,
    ResponseSchemas
  >;
}

/** The origin of a request. */
export interface RequestOrigin {
  readonly address: string;
  readonly requestId: string;
  /** The tool of the assistant that makes the call; undefined for other callers. */
  readonly assistantTool?: string | undefined;
}

/** The principal that accessed a tenant's data. */
interface Accessor {
  readonly tenant: Tenant;
  readonly keyId: string;
  /** The kind of credential. Default: a team API key. */
  readonly kind?: TeamPrincipal['kind'] | 'management_key' | 'patient_link';
}

/** One access to the data of a tenant. */
export interface Access extends RequestOrigin {
  readonly principal: Accessor;
  readonly operation: string;
  readonly method: Method;
  /** The request input. Only its ids are logged. */
  readonly input: { readonly params: unknown; readonly query: unknown; readonly body: unknown };
}

/** Logs who read or changed which data. */
export interface AccessLogger {
  covers(route: LoggableRoute): boolean;
  /** Logs a change in the transaction of the change. */
  logInTransaction(work: Work, access: Access, status: number): void;
  /** Buffers an access, which is logged shortly after without delaying the request. */
  logLater(access: Access, status: number): void;
  /** Flushes the buffer. */
  close(): Promise<void>;
}

/** One access with its logger. */
export interface LoggedAccess {
  readonly accessLogger: AccessLogger;
  readonly access: Access;
}

const INTERNAL_ERROR = 500;

/**
 * Runs a request and logs its result, unless the access was logged with the change: then `changed` was called at the
 * end of a committed transaction.
 */
export async function logAccess<T extends { status: number }>(
  stand: LoggedAccess | undefined,
  run: (changed: (work: Work, status: number) => void, begun: () => void) => Promise<T>,
): Promise<T> {
  if (!stand) return run(noop, noop);
  const { accessLogger, access } = stand;
  let isWritten = false;
  const changed = (work: Work, status: number) => {
    accessLogger.logInTransaction(work, access, status);
    isWritten = true;
  };
  // A transaction that is retried has logged nothing yet.
  const begun = () => (isWritten = false);
  try {
    const sent = await run(changed, begun);
    if (!isWritten) accessLogger.logLater(access, sent.status);
    return sent;
  } catch (error) {
    accessLogger.logLater(access, error instanceof DomainError ? statusOf[error.kind] : INTERNAL_ERROR);
    throw error;
  }
}

const noop = () => {};
