import type { Server as HttpServer } from 'node:http';
import { Server as TlsServer, type SecureContextOptions } from 'node:tls';
import Fastify, { type FastifyInstance } from 'fastify';
import { DomainError } from '../errors.ts';
import { newRandomId } from '../ids.ts';
import type { Log } from '../log.ts';
import { publicPrefix } from '../public-url.ts';
import type { Platform } from '../work.ts';
import { addJsonParser } from './body.ts';
import { endConnectionsOnShutdown } from './end-connections.ts';
import { openBodyReceiver, type BodyReceiver } from './body-receiver.ts';
import { limitConnections } from './connections.ts';
import { createErrorHandler } from './errors.ts';
import { openEventStreams, type EventStreams } from './event-streams.ts';
import { normalizeForwarded } from './forwarded.ts';
import { openRequestLimiter, type RequestLimiter } from './limit-requests.ts';
import { refuseMalformedRequest } from './malformed-request.ts';
import { trackMethods } from './method-not-allowed.ts';
import { refusePlainHttp } from './refuse-plain-http.ts';
import { addSecurityHeaders } from './security-headers.ts';
import {
  certificateFilesOf,
  readCertificate,
  startCertificateReloader,
  type CertificateFiles,
} from './tls-certificate.ts';

const BODY_LIMIT_BYTES = 1024 * 1024;
const HEADER_LIMIT_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
/** For a whole request; the longest is the upload of a large export. Stalled bodies are closed much earlier. */
const REQUEST_TIMEOUT_MS = 3_600_000;
/** How often Node looks for requests over their time. */
const CHECK_INTERVAL_MS = 2000;

/** The HTTP server without routes, and what serving them needs. */
export interface OpenedServer {
  readonly server: FastifyInstance;
  readonly receiver: BodyReceiver;
  readonly limiter: RequestLimiter;
  readonly streams: EventStreams;
}

/** Opens the server with all that holds for every request, before its route is known. */
export function openServer(app: Platform): OpenedServer {
  const refuse = createErrorHandler(app.log);
  const { TRUSTED_PROXIES: proxies } = app.config;
  const prefix = publicPrefix(app.config);
  const files = certificateFilesOf(app.config);
  const certificate = files && readCertificate(files);
  const http = {
    maxHeaderSize: HEADER_LIMIT_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
  };
  const server: FastifyInstance = Fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2000 },
    http,
    // An https server is an http server to everything but its listener.
    ...(certificate && ({ https: { ...http, ...certificate } } as object)),
    requestTimeout: REQUEST_TIMEOUT_MS,
    trustProxy: proxies.length > 0 ? [...proxies] : false,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    requestIdHeader: false,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    // These are refused before routing, and so before any hook.
    clientErrorHandler: refuseMalformedRequest,
    rewriteUrl: ({ url = '' }) => stripPrefix(url, prefix),
    frameworkErrors: (error, request, reply) =>
      void refuse(error, request, reply.header('x-request-id', request.id)),
  });
  if (files && certificate) serveTls(server, app.log, { files, certificate });
  if (proxies.length > 0) server.addHook('onRequest', async ({ raw }) => normalizeForwarded(raw.headers));
  refuseRoutesBelow(server, prefix);
  addSecurityHeaders(server, app.config);
  const receiver = openBodyReceiver(server, app.config);
  limitConnections(server, app.config, app.log);
  addJsonParser(server, receiver);
  endConnectionsOnShutdown(server);
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  const limiter = openRequestLimiter(app);
  server.setErrorHandler(refuse);
  answerUnknownRoutes(server, limiter, refuse);
  return { server, receiver, limiter, streams: openEventStreams(app, server) };
}

/** A proxy in front may strip the path of PUBLIC_URL, or pass it on. */
function stripPrefix(url: string, prefix: string): string {
  if (prefix === '' || !url.startsWith(prefix)) return url;
  const rest = url.slice(prefix.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
}

const firstSegment = (path: string) => path.split('/', 2)[1] ?? '';

/** With `/v1` as a prefix, nobody could know whether the proxy has stripped it from `/v1/orders`. */
function refuseRoutesBelow(server: FastifyInstance, prefix: string): void {
  if (prefix === '') return;
  server.addHook('onRoute', ({ url }) => {
    if (firstSegment(url) !== firstSegment(prefix)) return;
    throw new Error(`PUBLIC_URL: choose another path than ${prefix}, because the service itself has ${url}`);
  });
}

function serveTls(
  server: FastifyInstance,
  log: Log,
  { files, certificate }: { files: CertificateFiles; certificate: SecureContextOptions },
): void {
  const listener: HttpServer = server.server;
  if (!(listener instanceof TlsServer)) throw new Error('expected a TLS server');
  refusePlainHttp(listener);
  const reloader = startCertificateReloader(listener, files, { log, served: certificate });
  server.addHook('onClose', async () => reloader.stop());
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? url;

/** 405 with the methods of the path, 404 where it has none. */
function answerUnknownRoutes(
  server: FastifyInstance,
  limiter: RequestLimiter,
  refuse: ReturnType<typeof createErrorHandler>,
): void {
  server.addHook('onRequest', async (request, reply) => {
    if (request.is404) await limiter.address({ request, reply });
  });
  const methodsOf = trackMethods(server);
  server.setNotFoundHandler((request, reply) => {
    const methods = methodsOf(pathOf(request.url));
    if (methods.length > 0) {
      const allowed = methods.join(', ');
      const wrong = `${request.method} is not supported here; expected ${allowed}`;
      return refuse(new DomainError('method_not_allowed', wrong), request, reply.header('allow', allowed));
    }
    const missing = `No such route: ${request.method} ${pathOf(request.url)}`;
    return refuse(new DomainError('not_found', missing), request, reply);
  });
}

/** Keeps a well-formed request id of the caller, so that a trace can span both systems. */
const requestId = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : newRandomId();
