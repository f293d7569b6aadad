import Fastify, { type FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { DomainError } from '../errors.ts';
import { newRandomId } from '../ids.ts';
import type { Platform } from '../work.ts';
import { readJson } from './body.ts';
import { errorAnswer } from './errors.ts';
import type { Answers, Gate, ManagementRoute, Method, RouteSchema, Scope, TeamRoute } from './route.ts';
import { serveBatch, type AnyBatchRoute, type BatchRoute } from './serve-batch.ts';
import { serveAny } from './serve-file.ts';
import { serveInbound, type AnyInboundRoute, type InboundRoute } from './serve-inbound.ts';
import { serveManagement, type AnyManagementRoute } from './serve-management.ts';
import { serveOpen, serveVisit, type AnyOpenRoute, type OpenRoute, type Visit } from './serve-open.ts';
import type { AnyTeamRoute } from './serve-team.ts';
import { serveUpload, type AnyUploadRoute, type UploadRoute } from './serve-upload.ts';
import { readersOf } from './exchange.ts';
import { refuseUnread } from './unread.ts';
import type { Witness } from './witness.ts';

const BODY_LIMIT_BYTES = 1024 * 1024;
const HEADER_LIMIT_BYTES = 16 * 1024;

/** One row of the table of all routes; the OpenAPI document and the exhaustive tests are walks over it. */
export interface RouteRow {
  readonly method: Method;
  readonly path: string;
  readonly scope: Scope;
  readonly schema: RouteSchema<z.ZodType | undefined, z.ZodType | undefined, z.ZodType | undefined, Answers>;
}

type Optional = z.ZodType | undefined;
type TeamVerb = <
  P extends Optional,
  Q extends Optional,
  B extends Optional,
  R extends Answers,
  X = undefined,
>(
  path: string,
  route: TeamRoute<P, Q, B, R, X>,
) => void;
type ManagementVerb = <P extends Optional, Q extends Optional, B extends Optional, R extends Answers>(
  path: string,
  route: ManagementRoute<P, Q, B, R>,
) => void;

type OpenVerb = <P extends Optional, Q extends Optional, B extends Optional, R extends Answers>(
  path: string,
  route: OpenRoute<P, Q, B, R>,
) => void;

export interface Verbs<V> {
  readonly get: V;
  readonly post: V;
  readonly patch: V;
  readonly put: V;
  readonly delete: V;
}

/** The door of the service. Only this folder knows the web framework. */
export interface Http extends Verbs<TeamVerb> {
  readonly management: Verbs<ManagementVerb>;
  /** A POST of the team API that brings files, as multipart/form-data. */
  readonly upload: <B extends z.ZodType, R extends Answers, X = undefined, P extends Optional = undefined>(
    path: string,
    route: UploadRoute<P, B, R, X>,
  ) => void;
  /** A POST of the team API that brings many items, as JSON or a line for each. */
  readonly batch: <P extends Optional, Q extends Optional, B extends z.ZodType, R extends Answers>(
    path: string,
    route: BatchRoute<P, Q, B, R>,
  ) => void;
  /** A page or probe without a key. The handler answers text of a media type. */
  readonly page: (path: string, page: Page) => void;
  /** Where an outside system pushes to: a POST without a key, whose signature the handler checks. */
  readonly inbound: <R extends Answers>(path: string, route: InboundRoute<R>) => void;
  /** Operations without a key: the request carries something else that says what it may do. */
  readonly open: Verbs<OpenVerb>;
  /** What browsers and outside systems visit, word for word. */
  readonly visit: (path: string, visit: Visit) => void;
  readonly routes: readonly RouteRow[];
  readonly server: FastifyInstance;
}

/** An item of a batch that is no JSON. */
export { Unread } from './batch-body.ts';

export interface Page {
  readonly handler: () => Promise<{ status: number; type: string; text: string | Buffer }>;
}

/** With a witness the accesses to patients' data are written down; what it noted last when the server is closed. */
export function openHttp(app: Platform, gate: Gate, witness?: Witness): Http {
  const server = openServer(app);
  const routes: RouteRow[] = [];
  if (witness) server.addHook('onClose', () => witness.close());
  /** One row of the table of routes, and what serves it. */
  const served = <T extends AnyTeamRoute | AnyManagementRoute>(at: Omit<RouteRow, 'schema'>, route: T) => {
    const row = { ...at, schema: route.schema };
    routes.push(row);
    const watching = witness?.watches(row) ? witness : undefined;
    return { ...at, app, gate, route, readers: readersOf(route.schema), witness: watching };
  };
  const post = (path: string) => ({ method: 'POST', path, scope: 'team' }) as const;

  const team =
    (method: Method): TeamVerb =>
    (path, route) => {
      // The handler's types were checked where it was written; from here on the route is one of many.
      const row = served({ method, path, scope: 'team' }, route as unknown as AnyTeamRoute);
      server.route({ method, url: path, handler: serveAny(row) });
    };
  const management =
    (method: Method): ManagementVerb =>
    (path, route) => {
      const row = served({ method, path, scope: 'management' }, route as unknown as AnyManagementRoute);
      server.route({ method, url: path, handler: serveManagement(row) });
    };

  return {
    ...verbs(team),
    management: verbs(management),
    ...withoutKey(app, server, routes),
    batch: (path, route) => {
      const schema = { ...route.schema, lines: true as const };
      serveBatch(server, served(post(path), { ...route, schema } as unknown as AnyBatchRoute));
    },
    upload: (path, route) => {
      const schema = { ...route.schema, multipart: true as const };
      serveUpload(server, served(post(path), { ...route, schema } as unknown as AnyUploadRoute));
    },
    routes,
    server,
  };
}

/** What is entered without a key of ours. */
function withoutKey(
  app: Platform,
  server: FastifyInstance,
  routes: RouteRow[],
): Pick<Http, 'open' | 'visit' | 'inbound' | 'page'> {
  const open =
    (method: Method): OpenVerb =>
    (path, route) => {
      routes.push({ method, path, scope: 'open', schema: route.schema });
      server.route({ method, url: path, handler: serveOpen(app, route as unknown as AnyOpenRoute) });
    };
  return {
    open: verbs(open),
    visit: (path, visit) => serveVisit(server, path, visit),
    inbound: (path, route) => {
      routes.push({ method: 'POST', path, scope: 'open', schema: route.schema });
      serveInbound(server, path, route as unknown as AnyInboundRoute);
    },
    page: (path, page) => {
      server.get(path, async (_request, reply) => {
        const { status, type, text } = await page.handler();
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

function openServer(app: Platform): FastifyInstance {
  const refuse = errorAnswer(app.log);
  const server = Fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2000 },
    http: { maxHeaderSize: HEADER_LIMIT_BYTES },
    genReqId: (request) => requestId(request.headers['x-request-id']),
    requestIdHeader: false,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    // Refused before there is a route, and so before any hook.
    clientErrorHandler: refuseUnread,
    frameworkErrors: (error, request, reply) =>
      void refuse(error, request, reply.header('x-request-id', request.id)),
  });
  readJson(server);
  hangUpWhenClosing(server);
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  server.setErrorHandler(refuse);
  server.setNotFoundHandler((request, reply) => {
    const missing = `No such route: ${request.method} ${pathOf(request.url)}`;
    return refuse(new DomainError('not_found', missing), request, reply);
  });
  return server;
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? url;

/** The caller's own request id is kept when it is a sane one, so that a trace can cross the two systems. */
const requestId = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : newRandomId();

/** While it closes, every answer ends its connection: one that is kept alive would hold up the stop. */
function hangUpWhenClosing(server: FastifyInstance): void {
  let closing = false;
  server.addHook('preClose', async () => {
    closing = true;
  });
  server.addHook('onSend', async (_request, reply, payload) => {
    if (closing) reply.header('connection', 'close');
    return payload;
  });
}
