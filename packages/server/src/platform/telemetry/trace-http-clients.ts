import diagnostics from 'node:diagnostics_channel';
import { SpanKind, SpanStatusCode, type Span } from '@opentelemetry/api';
import { startChildSpan } from './trace-context.ts';

/**
 * Spans of the HTTP requests that this process sends on behalf of a request or a job: to wearable providers, storage,
 * couriers, schedulers, key providers and identity providers. All their clients use undici or `node:http`, which
 * announce their requests on diagnostics channels.
 *
 * A span has the method, the host and the status: never a path, a query or a header, which contain ids. Requests outside
 * of a traced request or job have none: webhooks have a span of their own, and what the exporters send has none at all.
 */
const CHANNELS: Readonly<Record<string, (message: unknown) => void>> = {
  'undici:request:create': (message) => {
    const { request } = message as { request: UndiciRequest };
    begin(request, { method: request.method, url: parseUrl(String(request.origin)) });
  },
  'undici:request:headers': (message) => {
    const { request, response } = message as { request: object; response: { statusCode: number } };
    recordStatus(request, response.statusCode);
  },
  'undici:request:trailers': (message) => finish((message as { request: object }).request),
  'undici:request:error': (message) => fail(message as FailedRequest),
  'http.client.request.start': (message) => {
    const { request } = message as { request: NodeRequest };
    const host = request.getHeader('host') ?? request.host;
    const url = parseUrl(`${request.protocol}//${String(host)}`);
    begin(request, { method: request.method, url });
  },
  'http.client.response.finish': (message) => {
    const { request, response } = message as { request: object; response: { statusCode: number } };
    recordStatus(request, response.statusCode);
    finish(request);
  },
  'http.client.request.error': (message) => fail(message as FailedRequest),
};

/** The parts of a request of undici that are used. */
interface UndiciRequest {
  readonly method: string;
  readonly origin: string | URL;
}

/** The same of a `ClientRequest`. */
interface NodeRequest {
  readonly method: string;
  readonly protocol: string;
  readonly host: string;
  getHeader(name: string): unknown;
}

interface FailedRequest {
  readonly request: object;
  readonly error: unknown;
}

const HTTPS_PORT = 443;
const HTTP_PORT = 80;
const CLIENT_ERROR = 400;

const parseUrl = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

const spans = new WeakMap<object, Span>();

function begin(request: object, { method, url }: { method: string; url: URL | undefined }): void {
  const port = Number(url?.port) || (url?.protocol === 'https:' ? HTTPS_PORT : HTTP_PORT);
  const span = startChildSpan(method, {
    kind: SpanKind.CLIENT,
    attributes: {
      'http.request.method': method,
      ...(url && { 'server.address': url.hostname, 'server.port': port }),
    },
  });
  if (span) spans.set(request, span);
}

function recordStatus(request: object, status: number): void {
  const span = spans.get(request);
  span?.setAttribute('http.response.status_code', status);
  if (status < CLIENT_ERROR) return;
  span?.setAttribute('error.type', String(status));
  span?.setStatus({ code: SpanStatusCode.ERROR });
}

function finish(request: object): void {
  spans.get(request)?.end();
  spans.delete(request);
}

/** The message of an error may contain the URL; its code does not. */
function fail({ request, error }: FailedRequest): void {
  const span = spans.get(request);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const name = error instanceof Error ? error.name : 'unknown';
  span?.setAttribute('error.type', typeof code === 'string' ? code : name);
  span?.setStatus({ code: SpanStatusCode.ERROR });
  finish(request);
}

let users = 0;

/** Begins to observe the clients of this process, once however many services run in it. Returns what ends it. */
export function traceHttpClients(): { stop(): void } {
  users += 1;
  if (users === 1)
    for (const [name, observe] of Object.entries(CHANNELS)) diagnostics.subscribe(name, observe);
  let isOver = false;
  return {
    stop: () => {
      if (isOver) return;
      isOver = true;
      users -= 1;
      if (users === 0)
        for (const [name, observe] of Object.entries(CHANNELS)) diagnostics.unsubscribe(name, observe);
    },
  };
}
