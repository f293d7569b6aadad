/**
 * Calls that a program makes for an assistant (a language model), such as `aliquot mcp`. They say so in a header, which
 * names the tool. The service then permits less, and the access log has every such call: also those that are refused,
 * and those that return no patient data. A program that leaves the header out is an ordinary client of the API.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DomainError, invalidField } from '../errors.ts';
import type { AccessLogger, LoggableRoute, RequestOrigin } from './access-logger.ts';
import type { ManagementPrincipal, TeamPrincipal } from './route.ts';

const ASSISTANT_HEADER = 'x-assistant-tool';
const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/;

export const isAssistantCall = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  headers[ASSISTANT_HEADER] !== undefined;

/** The tool that an assistant calls; undefined for other callers. 422 for anything but a name. */
export function readAssistantTool({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const name = headers[ASSISTANT_HEADER];
  if (name === undefined) return undefined;
  if (typeof name === 'string' && TOOL_NAME.test(name)) return name;
  throw invalidField(['header', ASSISTANT_HEADER], 'expected a name of lower-case letters, digits and _');
}

/** 403 for an assistant in production, unless it reads with a key that was made for that. */
export function requireAssistantPermission(
  tool: string | undefined,
  { principal, method }: { principal: TeamPrincipal; method: LoggableRoute['method'] },
): void {
  if (tool === undefined || principal.tenant.environment === 'sandbox') return;
  if (principal.limits?.assistants !== true)
    throw new DomainError(
      'forbidden',
      'This production key does not permit assistants: create a key with `assistants` and `read_only` (`aliquot keys create --assistants --read-only --environment production`)',
    );
  if (method !== 'GET')
    throw new DomainError(
      'forbidden',
      'In production an assistant may only read: it permits only GET requests',
    );
}

const SandboxPath = z.union([
  z.looseObject({ environment: z.literal('sandbox') }),
  z.looseObject({ env: z.literal('sandbox') }),
]);

/** 403 for an assistant with a management key, except for what belongs to a sandbox: these keys permit too much. */
export function requireSandboxForAssistant(
  tool: string | undefined,
  { path, params }: { path: string; params: unknown },
): void {
  if (tool === undefined || path.includes('/sandbox/') || SandboxPath.safeParse(params).success) return;
  throw new DomainError(
    'forbidden',
    'An assistant may use a management key only for what belongs to a sandbox',
  );
}

type AssistantRoute = Pick<LoggableRoute, 'method' | 'path'> & {
  readonly route: { readonly schema: LoggableRoute['schema'] };
};

interface IdentifiedCall extends AssistantRoute {
  readonly principal: TeamPrincipal;
}

const teamCalls = new WeakMap<FastifyRequest, IdentifiedCall>();
const managementCalls = new WeakMap<FastifyRequest, AssistantRoute & { principal: ManagementPrincipal }>();
const origins = new WeakMap<FastifyRequest, RequestOrigin>();
const logged = new WeakSet<RequestOrigin>();

/** Remembers whose key a request has, also if the key does not permit the request. */
export const identifyTeamCall = (request: FastifyRequest, call: IdentifiedCall): void =>
  void teamCalls.set(request, call);

export const identifyManagementCall = (
  request: FastifyRequest,
  call: AssistantRoute & { principal: ManagementPrincipal },
): void => void managementCalls.set(request, call);

/** Says that the access is logged with the handling of its request. */
export const markLogged = (origin: RequestOrigin): void => void logged.add(origin);

/** The origin of a request, as it is logged. */
export function originOf(request: FastifyRequest): RequestOrigin {
  const { ip: address, id: requestId } = request;
  const origin = { address, requestId, assistantTool: readAssistantTool(request) };
  origins.set(request, origin);
  return origin;
}

const TenantPath = z.object({ team_id: z.guid().toLowerCase() });
const FIRST_REFUSAL = 400;

/** Logs the answered calls of assistants that their handling has not logged. */
export function logAssistantCalls(server: FastifyInstance, logger: AccessLogger): void {
  server.addHook('onResponse', async (request, reply) => {
    const handled = origins.get(request);
    if (!isAssistantCall(request) || (handled && logged.has(handled))) return;
    const tool = z.string().regex(TOOL_NAME).safeParse(request.headers[ASSISTANT_HEADER]).data;
    const origin = { address: request.ip, requestId: request.id, assistantTool: tool ?? '(invalid)' };
    const { params, query, body } = request;
    const input = { params, query, body };
    const call = teamCalls.get(request);
    if (call) {
      const { principal, method, route } = call;
      const operation = route.schema.operationId;
      logger.logLater({ ...origin, principal, operation, method, input }, reply.statusCode);
    }
    const managed = managementCalls.get(request);
    const named = TenantPath.safeParse(params);
    // A refused path need not name a tenant of this key.
    if (!managed || !named.success || reply.statusCode >= FIRST_REFUSAL) return;
    const { principal, method, route } = managed;
    const accessor = {
      tenant: { teamId: named.data.team_id, environment: 'sandbox' as const },
      keyId: principal.keyId,
      kind: principal.member ? ('member' as const) : ('management_key' as const),
    };
    const operation = route.schema.operationId;
    logger.logLater({ ...origin, principal: accessor, operation, method, input }, reply.statusCode);
  });
}
