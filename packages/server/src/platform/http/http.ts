import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Platform } from '../work.ts';
import { costRuleOf } from './operation-cost.ts';
import { openServer, type OpenedServer } from './open-server.ts';
import type {
  ResponseSchemas,
  Authenticator,
  ManagementRoute,
  Method,
  RouteSchema,
  Scope,
  TeamRoute,
} from './route.ts';
import { PAGE_POLICY } from './security-headers.ts';
import { serveBatch, type AnyBatchRoute, type BatchRoute } from './serve-batch.ts';
import { serveTeamRoute } from './serve-event-stream.ts';
import { serveInbound, type AnyInboundRoute, type InboundRoute } from './serve-inbound.ts';
import {
  authenticateManagementFirst,
  managementCallerOf,
  serveManagement,
  type AnyManagementRoute,
} from './serve-management.ts';
import {
  serveOpen,
  serveBrowserRoute,
  type AnyOpenRoute,
  type OpenRoute,
  type BrowserRoute,
  type RequestHeaders,
} from './serve-open.ts';
import { logAssistantCalls } from './assistant-calls.ts';
import { authenticateFirst, type AnyTeamRoute } from './serve-team.ts';
import { serveProtocol, type Protocol } from './serve-protocol.ts';
import { serveUpload, type AnyUploadRoute, type UploadRoute } from './serve-upload.ts';
import { createReaders } from './exchange.ts';
import { openTeamTurns } from './team-turns.ts';
import { callerOf, logRequests, type RequestLogger } from './request-logger.ts';
import { observeProbePort, observeRequests, PROBE_ROUTE } from './request-signals.ts';
import type { AccessLogger } from './access-logger.ts';

/** One row of the route table. The OpenAPI document and the exhaustive tests iterate over it. */
export interface RouteRow {
  readonly method: Method;
  readonly path: string;
  readonly scope: Scope;
  readonly schema: RouteSchema<
    z.ZodType | undefined,
    z.ZodType | undefined,
    z.ZodType | undefined,
    ResponseSchemas
  >;
}

type OptionalSchema = z.ZodType | undefined;
type TeamVerb = <
  P extends OptionalSchema,
  Q extends OptionalSchema,
  B extends OptionalSchema,
  R extends ResponseSchemas,
  X = undefined,
>(
  path: string,
  route: TeamRoute<P, Q, B, R, X>,
) => void;
type ManagementVerb = <
  P extends OptionalSchema,
  Q extends OptionalSchema,
  B extends OptionalSchema,
  R extends ResponseSchemas,
>(
  path: string,
  route: ManagementRoute<P, Q, B, R>,
) => void;

type OpenVerb = <
  P extends OptionalSchema,
  Q extends OptionalSchema,
  B extends OptionalSchema,
  R extends ResponseSchemas,
>(
  path: string,
  route: OpenRoute<P, Q, B, R>,
) => void;

interface Verbs<V> {
  readonly get: V;
  readonly post: V;
  readonly patch: V;
  readonly put: V;
  readonly delete: V;
}

/** Registers routes and owns the HTTP server. Only this folder knows the web framework. */
export interface Http extends Verbs<TeamVerb> {
  readonly management: Verbs<ManagementVerb>;
  /** A POST of the team API that uploads files as multipart/form-data. */
  readonly upload: <
    B extends z.ZodType,
    R extends ResponseSchemas,
    X = undefined,
    P extends OptionalSchema = undefined,
  >(
    path: string,
    route: UploadRoute<P, B, R, X>,
  ) => void;
  /** A POST of the team API with many items, as JSON or NDJSON. */
  readonly batch: <
    P extends OptionalSchema,
    Q extends OptionalSchema,
    B extends z.ZodType,
    R extends ResponseSchemas,
  >(
    path: string,
    route: BatchRoute<P, Q, B, R>,
  ) => void;
  /** A page or probe without an API key. The handler returns text of any media type. */
  readonly page: (path: string, page: PageRoute) => void;
  /** A callback for an external system: a POST without an API key, whose signature the handler checks. */
  readonly inbound: <R extends ResponseSchemas>(path: string, route: InboundRoute<R>) => void;
  /** Operations without an API key: the request carries another credential. */
  readonly open: Verbs<OpenVerb>;
  /** Pages and callbacks for browsers and external systems, with the raw request and response. */
  readonly visit: (path: string, visit: BrowserRoute) => void;
  /** All paths below one, in a protocol of its own. */
  readonly protocol: <P extends { readonly keyId: string }>(path: string, protocol: Protocol<P>) => void;
  readonly routes: readonly RouteRow[];
  readonly server: FastifyInstance;
}

export { UnreadableItem } from './batch-body.ts';

interface PageRoute {
  /** Never limited: a limited probe would restart a busy service. */
  readonly isProbe?: true;
  readonly handler: (
    headers: RequestHeaders,
  ) => Promise<{ status: number; type: string; text: string | Buffer }>;
}

interface RouteLoggers {
  readonly witness?: AccessLogger;
  readonly requestLogger?: RequestLogger;
  readonly isProbePort?: boolean;
}

const keyIdOf = (request: FastifyRequest) => (callerOf(request) ?? managementCallerOf(request))?.keyId;

function attachLoggers(
  server: FastifyInstance,
  app: Platform,
  { witness, requestLogger, isProbePort = false }: RouteLoggers,
): void {
  if (isProbePort) observeProbePort(server, app);
  else observeRequests(server, app, keyIdOf);
  if (witness) {
    logAssistantCalls(server, witness);
    server.addHook('onClose', () => witness.close());
  }
  if (requestLogger) logRequests(server, requestLogger);
}

/** With the loggers, accesses to patient data and all requests to the team API are logged. Closing the server flushes them. */
export function openHttp(app: Platform, gate: Authenticator, loggers: RouteLoggers = {}): Http {
  const { witness } = loggers;
  const opened = openServer(app);
  const { server, receiver, limiter, streams } = opened;
  const turns = openTeamTurns(app.config);
  const routes: RouteRow[] = [];
  attachLoggers(server, app, loggers);
  /** Adds a row to the route table and returns what serving it needs. */
  const served = <T extends AnyTeamRoute | AnyManagementRoute>(at: Omit<RouteRow, 'schema'>, route: T) => {
    const row = { ...at, schema: route.schema };
    routes.push(row);
    const watching = witness?.covers(row) ? witness : undefined;
    const cost = costRuleOf(row).cost;
    const readers = createReaders(route.schema);
    return { ...at, app, receiver, gate, limiter, turns, cost, route, readers, witness: watching };
  };
  const post = (path: string) => ({ method: 'POST', path, scope: 'team' }) as const;
  const team =
    (method: Method): TeamVerb =>
    (path, route) => {
      // The handler's types were checked at its definition. From here on all routes have one type.
      const row = served({ method, path, scope: 'team' }, route as unknown as AnyTeamRoute);
      const handler = serveTeamRoute(row, streams);
      server.route({ method, url: path, onRequest: authenticateFirst(row), handler });
    };
  const management =
    (method: Method): ManagementVerb =>
    (path, route) => {
      const row = served({ method, path, scope: 'management' }, route as unknown as AnyManagementRoute);
      const onRequest = authenticateManagementFirst(row);
      server.route({ method, url: path, ...bodyLimitOf(route), onRequest, handler: serveManagement(row) });
    };

  return {
    ...verbs(team),
    management: verbs(management),
    ...openKeylessRoutes(app, opened, routes),
    batch: (path, route) => {
      const schema = { ...route.schema, lines: true as const };
      serveBatch(server, served(post(path), { ...route, schema } as unknown as AnyBatchRoute));
    },
    upload: (path, route) => {
      const schema = { ...route.schema, multipart: true as const };
      serveUpload(server, served(post(path), { ...route, schema } as unknown as AnyUploadRoute));
    },
    protocol: (path, protocol) => serveProtocol(server, path, { protocol, log: app.log, receiver, limiter }),
    routes,
    server,
  };
}

/** Routes that need no API key. Their requests count against the address. */
function openKeylessRoutes(
  app: Platform,
  { server, receiver, limiter }: OpenedServer,
  routes: RouteRow[],
): Pick<Http, 'open' | 'visit' | 'inbound' | 'page'> {
  const onRequest = (request: FastifyRequest, reply: FastifyReply) => limiter.address({ request, reply });
  const open =
    (method: Method): OpenVerb =>
    (path, route) => {
      routes.push({ method, path, scope: 'open', schema: route.schema });
      server.route({
        method,
        url: path,
        onRequest,
        handler: serveOpen(app, route as unknown as AnyOpenRoute),
      });
    };
  return {
    open: verbs(open),
    visit: (path, visit) => serveBrowserRoute(server, { path, visit, receiver, onRequest }),
    inbound: (path, route) => {
      routes.push({ method: 'POST', path, scope: 'open', schema: route.schema });
      serveInbound(server, { path, route: route as unknown as AnyInboundRoute, receiver, onRequest });
    },
    page: (path, page) => {
      server.get(path, page.isProbe ? { config: PROBE_ROUTE } : { onRequest }, async (request, reply) => {
        const { status, type, text } = await page.handler(request.headers);
        if (type.startsWith('text/html')) reply.header('content-security-policy', PAGE_POLICY);
        return reply.code(status).type(type).send(text);
      });
    },
  };
}

const verbs = <V>(verb: (method: Method) => V): Verbs<V> => ({
  get: verb('GET'),
  post: verb('POST'),
  patch: verb('PATCH'),
  put: verb('PUT'),
  delete: verb('DELETE'),
});

const bodyLimitOf = ({ limitBytes }: { readonly limitBytes?: number }) =>
  limitBytes === undefined ? {} : { bodyLimit: limitBytes };
