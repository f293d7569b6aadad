import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { DomainError } from '../errors.ts';
import { inTenant, readTenant, type Platform, type Work } from '../work.ts';
import { toAuthenticationRequest } from './authentication-request.ts';
import type { BodyReceiver } from './body-receiver.ts';
import type { RequestLimiter } from './limit-requests.ts';
import { readInput, JSON_CONTENT_TYPE, serializeResponse, type RequestReaders } from './exchange.ts';
import { runStepOnce, hashRequest, runOnce } from './idempotency.ts';
import { findStoredResponse, type IdempotentRequest, type SerializedResponse } from './idempotency-store.ts';
import type { TeamTurns } from './team-turns.ts';
import type {
  AuthenticationRequest,
  ResponseSchemas,
  Authenticator,
  Method,
  TeamInput,
  TeamPrincipal,
  TeamRoute,
} from './route.ts';
import {
  identifyTeamCall,
  isAssistantCall,
  markLogged,
  originOf,
  readAssistantTool,
  requireAssistantPermission,
} from './assistant-calls.ts';
import { rememberCaller } from './request-logger.ts';
import { logAccess, type RequestOrigin, type LoggedAccess, type AccessLogger } from './access-logger.ts';

export type AnyTeamRoute = TeamRoute<z.ZodType, z.ZodType, z.ZodType, ResponseSchemas, unknown>;

export interface ServedTeamRoute {
  readonly app: Platform;
  readonly receiver: BodyReceiver;
  readonly gate: Authenticator;
  readonly limiter: RequestLimiter;
  readonly turns: TeamTurns;
  /** Units of the rate limits. */
  readonly cost: number;
  readonly method: Method;
  readonly path: string;
  readonly route: AnyTeamRoute;
  readonly readers: RequestReaders;
  /** Logs the accesses of this route. */
  readonly witness?: AccessLogger | undefined;
}

const DEFAULT_TTL_HOURS = 24;
const KEY_LENGTH_MAX = 255;

/**
 * Authentication, feature check, validation, then one transaction for the effect, its events and the stored response.
 */
export function serveTeam(served: ServedTeamRoute) {
  const { method, route } = served;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const entered = await authenticateAndValidate(served, request);
    const { params, query, body = null } = request;
    const repeat = method === 'GET' ? undefined : readIdempotency(route, request, [params, query, body]);
    const full = { ...entered.full, repeatKey: repeat?.key };
    const sent = await handleRequest(served, { ...entered, full, repeat, from: originOf(request) });
    return reply.code(sent.status).headers(sent.headers).type(JSON_CONTENT_TYPE).send(sent.text);
  };
}

/** The input of a handler, and the headers that its handling adds to the response. */
interface AuthenticatedRequest {
  readonly full: TeamInput<z.ZodType, z.ZodType, z.ZodType>;
  readonly headers: Record<string, string>;
}

/** Authenticates and validates a request. */
export async function authenticateAndValidate(
  { app, gate, method, path, route, readers }: ServedTeamRoute,
  request: FastifyRequest,
): Promise<AuthenticatedRequest> {
  const principal = await authenticate({ gate, method, path, route }, request);
  const { input, headers } = readInput(app.config, readers, request);
  const full = {
    ...input,
    tenant: principal.tenant,
    principal,
    repeatKey: undefined,
  } as AuthenticatedRequest['full'];
  return { full, headers };
}

/**
 * A hook that authenticates the caller and counts the request before the body is read: nobody else's bytes are kept,
 * and none of a caller above its limit.
 */
export const authenticateFirst =
  (served: ServedTeamRoute) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { app, limiter, gate, cost, method, path, route } = served;
    const exchange = { request, reply };
    const arrivedAt = app.clock.now();
    const principal = await limiter.countFailures(exchange, () => authenticate(served, request));
    rememberCaller(request, { principal, arrivedAt, method, path, route });
    await limiter.team(exchange, { gate, principal, cost });
    served.receiver.authenticated.add(request);
    principals.set(request, principal);
  };

const principals = new WeakMap<FastifyRequest, TeamPrincipal>();

/** Authenticates once more, after the body has arrived. */
export async function authenticateAgain(served: ServedTeamRoute, request: FastifyRequest): Promise<void> {
  principals.delete(request);
  principals.set(request, await authenticate(served, request));
}

/** Authenticates the caller, and checks that it may use this route. */
export async function authenticate(
  { gate, method, path, route }: Pick<ServedTeamRoute, 'gate' | 'method' | 'path' | 'route'>,
  request: FastifyRequest,
): Promise<TeamPrincipal> {
  const known = principals.get(request);
  if (known) return known;
  const asked = toAuthenticationRequest({ method, path, route }, request);
  const principal = isAssistantCall(request)
    ? await authenticateAssistant({ gate, asked, route }, request)
    : await gate.team(asked);
  requireOwnUser(route, principal, asked.params['user_id']);
  if (route.feature !== undefined && !principal.features.has(route.feature)) {
    throw new DomainError('forbidden', `The feature ${route.feature} is not enabled for this team`);
  }
  return principal;
}

/** Authenticates an assistant. Its caller is remembered before it is refused, so that the refusal is logged. */
async function authenticateAssistant(
  { gate, asked, route }: Pick<ServedTeamRoute, 'gate' | 'route'> & { asked: AuthenticationRequest },
  request: FastifyRequest,
): Promise<TeamPrincipal> {
  const { method, path } = asked;
  const identify = (caller: TeamPrincipal) =>
    identifyTeamCall(request, { principal: caller, method, path, route });
  const principal = await gate.team({ ...asked, onForbidden: identify });
  identify(principal);
  requireAssistantPermission(readAssistantTool(request), { principal, method });
  return principal;
}

/** Refuses the app of a user where it may not call, and users other than its own. */
function requireOwnUser(route: AnyTeamRoute, { userId }: TeamPrincipal, asked: string | undefined): void {
  if (userId === undefined) return;
  if (!route.opensToUsers)
    throw new DomainError('forbidden', 'The token of a user does not open this operation');
  if (asked !== undefined && asked.toLowerCase() !== userId.toLowerCase())
    throw new DomainError('not_found', 'User not found');
}

interface TeamExchange extends AuthenticatedRequest {
  readonly repeat: IdempotentRequest | undefined;
  readonly from: RequestOrigin;
}

/** The access to log, if the route is logged. */
export const loggedAccessOf = (
  { method, route, witness }: ServedTeamRoute,
  { full, from }: Pick<TeamExchange, 'full' | 'from'>,
): LoggedAccess | undefined => {
  if (!witness) return undefined;
  markLogged(from);
  const { principal } = full;
  const operation = route.schema.operationId;
  return { accessLogger: witness, access: { ...from, principal, operation, method, input: full } };
};

type ChangeListener = (work: Work, status: number) => void;

/** Handles a request, once per idempotency key, and logs the access. */
export const handleRequest = (served: ServedTeamRoute, exchange: TeamExchange): Promise<SerializedResponse> =>
  logAccess(loggedAccessOf(served, exchange), (changed, begun) =>
    runHandler(served, exchange, { changed, begun }),
  );

async function runHandler(
  { app, turns, method, route }: ServedTeamRoute,
  { full, repeat, headers, from }: TeamExchange,
  { changed, begun }: { changed: ChangeListener; begun: () => void },
): Promise<SerializedResponse> {
  const { tenant } = full;
  if (repeat && route.prepare) {
    // A request with a stored response must not call external systems again.
    const kept = await readTenant(app, tenant, (work) => findStoredResponse(work, repeat));
    if (kept) return kept;
  }
  const prepared = await runPrepare(app, route, { full, repeat });
  const effect = async (work: Work): Promise<SerializedResponse> => {
    const sent = serializeResponse(route.schema.response, await route.handler({ ...full, work, prepared }));
    const text = full.principal.kind === 'user' ? toWholeSeconds(sent.text) : sent.text;
    return { ...sent, text, headers };
  };
  if (method === 'GET') return turns(tenant, () => readTenant(app, tenant, effect));
  const change = async (work: Work): Promise<SerializedResponse> => {
    const sent = await effect(work);
    changed(work, sent.status);
    return sent;
  };
  return turns(tenant, () =>
    inTenant(app, tenant, (work) => {
      begun();
      work.requestId = from.requestId;
      return repeat ? runOnce(work, repeat, change) : change(work);
    }),
  );
}

const TIMESTAMP = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}\+00:00"/g;

/** For the apps of users: the iOS SDK reads no timestamp with a fraction of a second, and fails on the whole response. */
const toWholeSeconds = <T extends string | Buffer>(text: T): T | string =>
  typeof text === 'string' ? text.replace(TIMESTAMP, '"$1+00:00"') : text;

/** Runs the route's `prepare`, before its transaction. */
export const runPrepare = async (
  app: Platform,
  { prepare }: AnyTeamRoute,
  { full, repeat }: Pick<TeamExchange, 'full' | 'repeat'>,
): Promise<unknown> =>
  prepare?.({
    ...full,
    runStep: (beginning) =>
      inTenant(app, full.tenant, (work) =>
        repeat ? runStepOnce(work, repeat, beginning) : beginning.effect(work),
      ),
  });

/** Reads the idempotency key of a request. It is the same request when `parts` are the same. */
export function readIdempotency(
  route: AnyTeamRoute,
  request: Pick<FastifyRequest, 'headers'>,
  parts: readonly unknown[],
): IdempotentRequest | undefined {
  const key = request.headers['x-idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length < 1 || key.length > KEY_LENGTH_MAX) {
    const msg = `expected 1 to ${KEY_LENGTH_MAX} characters`;
    throw new DomainError('invalid', [{ loc: ['header', 'X-Idempotency-Key'], msg, type: 'value_error' }]);
  }
  return {
    operation: route.schema.operationId,
    key,
    hash: hashRequest(...parts),
    forgetErrors: request.headers['x-idempotency-error'] === 'no-cache',
    keepHours: route.idempotencyTtlHours ?? DEFAULT_TTL_HOURS,
  };
}
