import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Platform } from '../work.ts';
import { inputOf, JSON_TYPE, readersOf, sentOf } from './exchange.ts';
import type { Answer, Answers, Input, Method, RouteSchema } from './route.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface OpenInput<P, Q, B> extends Input<P, Q, B> {
  readonly headers: Headers;
}

/** A route without a key: what it may do is told by something else that the request carries. It opens its own transactions. */
export interface OpenRoute<P, Q, B, R extends Answers> {
  readonly schema: RouteSchema<P, Q, B, R>;
  readonly handler: (input: OpenInput<P, Q, B>) => Promise<BodyOf<R[keyof R]> | Answer<R>>;
}

type BodyOf<S> = S extends z.ZodType ? z.input<S> : undefined | void;
export type AnyOpenRoute = OpenRoute<z.ZodType, z.ZodType, z.ZodType, Answers>;

/** Validation, then the handler. */
export function serveOpen(app: Platform, { schema, handler }: AnyOpenRoute) {
  const readers = readersOf(schema);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { input, headers } = inputOf(app.config, readers, request);
    const full = { ...input, headers: request.headers } as OpenInput<z.ZodType, z.ZodType, z.ZodType>;
    const sent = sentOf(schema.response, await handler(full));
    return reply.code(sent.status).headers(headers).type(JSON_TYPE).send(sent.text);
  };
}

/** What a browser or an outside system asks, word for word. */
export interface VisitInput {
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
  /** Of a parameter that came twice, the last. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface VisitAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Pages and callbacks that browsers and outside systems visit: they belong to no client's table of operations, so the
 * OpenAPI document is silent about them. The handler checks everything.
 */
export interface Visit {
  readonly methods: readonly (Method | 'HEAD')[];
  readonly handler: (input: VisitInput) => Promise<VisitAnswer>;
}

/** In a room of its own, where bodies of every media type stay bytes. */
export function serveVisit(server: FastifyInstance, path: string, { methods, handler }: Visit): void {
  server.register(async (room) => {
    room.removeAllContentTypeParsers();
    room.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    room.route({
      method: [...methods],
      url: path,
      exposeHeadRoute: false,
      handler: async ({ method, params, query, headers, body }, reply) => {
        const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
        const texts = { params: textsOf(params), query: textsOf(query) };
        const answer = await handler({ method, ...texts, headers, body: bytes });
        return reply.code(answer.status).headers(answer.headers).send(answer.text);
      },
    });
  });
}

/** A text for each name; NUL, which nothing means and no table keeps, is left out. */
function textsOf(given: unknown): Record<string, string> {
  const entries = Object.entries(typeof given === 'object' && given !== null ? given : {});
  return Object.fromEntries(
    entries.map(([name, value]): [string, string] => [
      name,
      String(Array.isArray(value) ? (value.at(-1) ?? '') : value).replaceAll('\0', ''),
    ]),
  );
}
