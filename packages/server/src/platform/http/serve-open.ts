import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { z } from 'zod';
import type { Platform } from '../work.ts';
import { addBytesParser } from './body.ts';
import type { BodyReceiver } from './body-receiver.ts';
import { readInput, JSON_CONTENT_TYPE, createReaders, serializeResponse } from './exchange.ts';
import { openSilences } from './silences.ts';
import type { RouteResponse, ResponseSchemas, RequestInput, Method, RouteSchema } from './route.ts';

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

interface OpenInput<P, Q, B> extends RequestInput<P, Q, B> {
  readonly headers: RequestHeaders;
  readonly method: string;
  /** For the audit log. */
  readonly from: { readonly address: string; readonly requestId: string };
  /** Adds a `Set-Cookie` header to a successful response. */
  setCookie(cookie: string): void;
}

/** A route without an API key: the request carries another credential. It opens its own transactions. */
export interface OpenRoute<P, Q, B, R extends ResponseSchemas> {
  readonly schema: RouteSchema<P, Q, B, R>;
  readonly handler: (input: OpenInput<P, Q, B>) => Promise<OpenResponseBody<R[keyof R]> | RouteResponse<R>>;
}

type OpenResponseBody<S> = S extends z.ZodType ? z.input<S> : undefined | void;
export type AnyOpenRoute = OpenRoute<z.ZodType, z.ZodType, z.ZodType, ResponseSchemas>;

/** Validation, then the handler. */
export function serveOpen(app: Platform, { schema, handler }: AnyOpenRoute) {
  const readers = createReaders(schema);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { input, headers } = readInput(app.config, readers, request);
    const cookies: string[] = [];
    const full = {
      ...input,
      headers: request.headers,
      method: request.method,
      from: { address: request.ip, requestId: request.id },
      setCookie: (cookie: string) => void cookies.push(cookie),
    } as OpenInput<z.ZodType, z.ZodType, z.ZodType>;
    const sent = serializeResponse(schema.response, await handler(full));
    if (cookies.length > 0) void reply.header('set-cookie', cookies);
    return reply.code(sent.status).headers(headers).type(JSON_CONTENT_TYPE).send(sent.text);
  };
}

/** A raw request of a browser or an external system. */
export interface BrowserRequest {
  readonly method: string;
  /** The client IP address. */
  readonly address: string;
  readonly requestId: string;
  readonly params: Readonly<Record<string, string>>;
  /** The last value of a repeated parameter. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly headers: RequestHeaders;
  readonly body: Buffer;
}

export interface BrowserResponse {
  readonly status: number;
  /** Several values of one name, such as `set-cookie`, are sent as several headers. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly text: string | Buffer;
  /** Waits so long before it is sent, or until the caller gives up. */
  readonly silenceMs?: number;
}

/**
 * Pages and callbacks that browsers and external systems visit. They are not API operations, so the OpenAPI document
 * does not contain them. The handler validates everything.
 */
export interface BrowserRoute {
  readonly methods: readonly (Method | 'HEAD')[];
  /** Maximum body size. Default: the general limit. */
  readonly limitBytes?: number;
  readonly handler: (input: BrowserRequest) => Promise<BrowserResponse>;
}

interface ServedBrowserRoute {
  readonly path: string;
  readonly visit: BrowserRoute;
  readonly receiver: BodyReceiver;
  readonly onRequest: onRequestAsyncHookHandler;
}

/** Registered in its own Fastify scope, where bodies of every media type stay bytes. */
export function serveBrowserRoute(
  server: FastifyInstance,
  { path, visit, receiver, onRequest }: ServedBrowserRoute,
): void {
  const { methods, handler, limitBytes } = visit;
  const keepSilent = openSilences(server);
  server.register(async (room) => {
    addBytesParser(room, receiver);
    room.route({
      method: [...methods],
      ...(limitBytes === undefined ? {} : { bodyLimit: limitBytes }),
      url: path,
      exposeHeadRoute: false,
      onRequest,
      handler: async ({ id: requestId, method, ip: address, params, query, headers, body }, reply) => {
        const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
        const texts = { params: textsOf(params), query: textsOf(query) };
        const answer = await handler({ method, address, requestId, ...texts, headers, body: bytes });
        if (answer.silenceMs !== undefined) await keepSilent(reply.raw, answer.silenceMs);
        return reply.code(answer.status).headers(answer.headers).send(answer.text);
      },
    });
  });
}

/** One string per name, without NUL characters, which no table can store. */
export function textsOf(given: unknown): Record<string, string> {
  const entries = Object.entries(typeof given === 'object' && given !== null ? given : {});
  return Object.fromEntries(
    entries.map(([name, value]): [string, string] => [
      name,
      String(Array.isArray(value) ? (value.at(-1) ?? '') : value).replaceAll('\0', ''),
    ]),
  );
}
