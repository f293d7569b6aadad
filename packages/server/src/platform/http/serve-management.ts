import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ENVIRONMENTS } from '../tenant.ts';
import type { Platform } from '../work.ts';
import { negotiateMediaType, JSON_MEDIA_TYPE } from './content-negotiation.ts';
import type { BodyReceiver } from './body-receiver.ts';
import type { RequestLimiter } from './limit-requests.ts';
import {
  identifyManagementCall,
  markLogged,
  originOf,
  readAssistantTool,
  requireSandboxForAssistant,
} from './assistant-calls.ts';
import { toAuthenticationRequest } from './authentication-request.ts';
import { readInput, JSON_CONTENT_TYPE, serializeResponse, type RequestReaders } from './exchange.ts';
import { fileTypeOf } from './file-response.ts';
import type {
  ResponseSchemas,
  Authenticator,
  ManagementInput,
  ManagementPrincipal,
  ManagementRoute,
  Method,
} from './route.ts';
import { startStream, whilePermitted } from './stream-response.ts';
import type { AccessLogger } from './access-logger.ts';

export type AnyManagementRoute = ManagementRoute<z.ZodType, z.ZodType, z.ZodType, ResponseSchemas>;

interface ServedManagementRoute {
  readonly app: Platform;
  readonly receiver: BodyReceiver;
  readonly gate: Authenticator;
  readonly limiter: RequestLimiter;
  /** Units of the rate limits. */
  readonly cost: number;
  readonly method: Method;
  readonly path: string;
  readonly route: AnyManagementRoute;
  readonly readers: RequestReaders;
  /** Logs reads of what may be patient data. The path of such a route names the tenant. */
  readonly witness?: AccessLogger | undefined;
}

type FullManagementInput = ManagementInput<z.ZodType, z.ZodType, z.ZodType>;

const principals = new WeakMap<FastifyRequest, ManagementPrincipal>();

export const managementCallerOf = (request: FastifyRequest): ManagementPrincipal | undefined =>
  principals.get(request);

/** A hook that authenticates the caller and counts the request before the body is read. */
export const authenticateManagementFirst =
  ({ gate, limiter, cost, receiver, ...served }: ServedManagementRoute) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const asked = toAuthenticationRequest(served, request);
    const exchange = { request, reply };
    const principal = await limiter.countFailures(exchange, () => gate.management(asked));
    identifyManagementCall(request, { ...served, principal });
    requireSandboxForAssistant(readAssistantTool(request), { path: served.path, params: request.params });
    await limiter.management(exchange, { keyId: principal.keyId, cost });
    principals.set(request, principal);
    receiver.authenticated.add(request);
  };

/** Validation, then the handler, which opens its own transactions. */
export function serveManagement(served: ServedManagementRoute) {
  const { app, route, readers } = served;
  const { file, response } = route.schema;
  const { stream } = route;
  const streamed = stream && fileTypeOf(file);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { headers: sentHeaders } = request;
    const principal = principals.get(request);
    if (!principal) throw new Error('The request was not authenticated');
    const { input, headers } = readInput(app.config, readers, request);
    const from = originOf(request);
    const full = { ...input, principal, from } as FullManagementInput;
    void reply.headers(headers);
    if (stream && streamed !== undefined) {
      void reply.header('vary', 'accept');
      if (negotiateMediaType(sentHeaders.accept, [JSON_MEDIA_TYPE, streamed]) === streamed) {
        const asked = toAuthenticationRequest(served, request);
        const grant = {
          granted: describeGrant(principal),
          describeGrant: async () => describeGrant(await served.gate.management(asked)),
        };
        const pieces = await startStream(whilePermitted(app.clock, grant, stream(full)));
        logManagementAccess(served, full, OK);
        return reply.type(streamed).send(Readable.from(pieces));
      }
    }
    const sent = serializeResponse(response, await route.handler(full));
    logManagementAccess(served, full, sent.status);
    return reply.code(sent.status).type(JSON_CONTENT_TYPE).send(sent.text);
  };
}

const OK = 200;

const TenantPath = z.object({ team_id: z.guid().toLowerCase(), environment: z.enum(ENVIRONMENTS) });

/** Refused requests are not logged: the path need not name a tenant of this key. */
function logManagementAccess(
  { method, route, witness }: ServedManagementRoute,
  full: FullManagementInput,
  status: number,
): void {
  if (!witness) return;
  markLogged(full.from);
  const { team_id: teamId, environment } = TenantPath.parse(full.params);
  const principal = {
    tenant: { teamId, environment },
    keyId: full.principal.keyId,
    kind: full.principal.member ? ('member' as const) : ('management_key' as const),
  };
  const operation = route.schema.operationId;
  witness.logLater({ ...full.from, principal, operation, method, input: full }, status);
}

const describeGrant = (principal: ManagementPrincipal | undefined): string =>
  JSON.stringify([
    principal?.keyId,
    principal?.orgId,
    principal?.teamIds && [...principal.teamIds].toSorted(),
  ]);
