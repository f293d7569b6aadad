import {
  SpanKind,
  SpanStatusCode,
  type Attributes,
  type Histogram,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { contextOf, parseTraceparent, REQUEST_SECONDS, withSpan } from '../telemetry/telemetry.ts';
import type { Log } from '../log.ts';
import type { Platform } from '../work.ts';

/** The config of routes whose requests are not observed: probes come every few seconds and say nothing about the service. */
export const PROBE_ROUTE: object = { isProbe: true };

/** The id of the caller's credential, if the caller is known. */
type FindKeyId = (request: FastifyRequest) => string | undefined;

const MS = 1000;
const SERVER_ERROR = 500;

/**
 * For the probe port, which serves no route: what asks it for another path is neither a request to the service nor one
 * of its errors, so it is in no metric and no trace, and in the log on the level `debug` only.
 */
export function observeProbePort(server: FastifyInstance, { log }: Platform): void {
  server.addHook('onResponse', (request, reply, done) => {
    if (!('isProbe' in request.routeOptions.config)) {
      const { method, id } = request;
      log.debug({ method, status: reply.statusCode, request_id: id }, 'no such path on the probe port');
    }
    done();
  });
}

/** Measures, logs and traces every request by the path of its route, which contains no value of the request. */
export function observeRequests(server: FastifyInstance, app: Platform, findKeyId: FindKeyId): void {
  const duration = app.telemetry.meter.createHistogram('http.server.request.duration', {
    unit: 's',
    description: 'Duration of HTTP requests by route and status',
    advice: { explicitBucketBoundaries: REQUEST_SECONDS },
  });
  const labelsOf = openLabels();
  const spans = traceRequests(server, app);
  // Its lines have no field to redact, and looking for one takes half of the time of a line.
  const log = app.config.LOG_REQUESTS ? app.log.child({}, { redact: [] }) : undefined;
  server.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const { url: route, config } = request.routeOptions;
    if (!('isProbe' in config)) {
      const path = request.is404 ? undefined : route;
      recordDuration(duration, reply, labelsOf(method, path, reply.statusCode));
      endSpan(spans.get(request), labelsOf(method, path, reply.statusCode), request.id);
      if (log) logRequest(log, { request, reply, route: path }, findKeyId(request));
    }
    done();
  });
}

const recordDuration = (duration: Histogram, reply: FastifyReply, labels: Attributes): void =>
  duration.record(reply.elapsedTime / MS, labels);

/** The attributes of a route and status are built once. */
function openLabels(): (method: string, route: string | undefined, status: number) => Attributes {
  const known = new Map<string, Map<number, Attributes>>();
  return (method, route, status) => {
    const name = `${method} ${route ?? ''}`;
    let byStatus = known.get(name);
    if (!byStatus) known.set(name, (byStatus = new Map()));
    let labels = byStatus.get(status);
    if (!labels) {
      labels = {
        'http.request.method': method,
        'http.response.status_code': status,
        ...(route !== undefined && { 'http.route': route }),
        ...(status >= SERVER_ERROR && { 'error.type': String(status) }),
      };
      byStatus.set(status, labels);
    }
    return labels;
  };
}

interface LoggedExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly route: string | undefined;
}

function logRequest(log: Log, { request, reply, route }: LoggedExchange, keyId?: string): void {
  const level = reply.statusCode >= SERVER_ERROR ? 'error' : 'info';
  if (!log.isLevelEnabled(level)) return;
  log[level](
    {
      method: request.method,
      route,
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime * MS) / MS,
      request_id: request.id,
      key_id: keyId,
      ...traceFieldsOf(request),
    },
    'request',
  );
}

/** The contexts of the spans that begin here. */
const spanContexts = new WeakMap<FastifyRequest, SpanContext>();

/** Without a span, the trace of the caller. */
function traceFieldsOf(request: FastifyRequest): { trace_id: string | undefined; span_id?: string } {
  const own = spanContexts.get(request);
  if (own) return { trace_id: own.traceId, span_id: own.spanId };
  return { trace_id: parseTraceparent(request.headers['traceparent'])?.traceId };
}

/** Opens a span for each request, below the caller's. Hooks enter its context twice, because reading a body leaves it. */
function traceRequests(
  server: FastifyInstance,
  app: Platform,
): { get(request: FastifyRequest): Span | undefined } {
  const { tracer } = app.telemetry;
  const spans = new WeakMap<FastifyRequest, Span>();
  if (!tracer) return spans;
  server.addHook('onRequest', (request, _reply, done) => {
    const { url: route, config } = request.routeOptions;
    if ('isProbe' in config) return done();
    const name = request.is404 || route === undefined ? request.method : `${request.method} ${route}`;
    const parent = contextOf(request.headers['traceparent']);
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER }, parent);
    spans.set(request, span);
    spanContexts.set(request, span.spanContext());
    enterSpan(tracer, span, done);
  });
  server.addHook('preValidation', (request, _reply, done) => enterSpan(tracer, spans.get(request), done));
  return spans;
}

function enterSpan(tracer: Tracer, span: Span | undefined, run: () => void): void {
  if (span) withSpan(tracer, span, run);
  else run();
}

function endSpan(span: Span | undefined, labels: Attributes, requestId: string): void {
  if (!span) return;
  span.setAttributes({ ...labels, 'aliquot.request.id': requestId });
  if ('error.type' in labels) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
