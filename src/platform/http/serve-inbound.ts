import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { JSON_TYPE, sentOf } from './exchange.ts';
import type { Answer, Answers, RouteSchema } from './route.ts';

/** What an outside system pushes: who may do so is told by a signature over the bytes, which the handler checks. */
export interface InboundInput {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** For the audit log. */
  readonly from: { readonly address: string; readonly requestId: string };
}

/** A route without a key, given the bytes of the body as they came. It opens its own transactions. */
export interface InboundRoute<R extends Answers> {
  readonly schema: RouteSchema<undefined, undefined, undefined, R>;
  /** The longest body; as everywhere where it is left out. */
  readonly limitBytes?: number;
  readonly handler: (input: InboundInput) => Promise<BodyOf<R[keyof R]> | Answer<R> | RawAnswer>;
}

/** An answer in another language than JSON, as the sender speaks it. */
export interface RawAnswer {
  readonly raw: true;
  readonly status: number;
  readonly type: string;
  readonly bytes: Buffer;
}

export const raw = (status: number, type: string, bytes: Buffer): RawAnswer => ({
  raw: true,
  status,
  type,
  bytes,
});

const isRaw = (answer: unknown): answer is RawAnswer =>
  typeof answer === 'object' && answer !== null && 'raw' in answer && answer.raw === true;

type BodyOf<S> = S extends z.ZodType ? z.input<S> : undefined | void;

export type AnyInboundRoute = InboundRoute<Answers>;

/** In a room of its own, where bodies of every media type stay bytes. */
export function serveInbound(server: FastifyInstance, path: string, route: AnyInboundRoute): void {
  server.register(async (room) => {
    room.removeAllContentTypeParsers();
    room.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    const limit = route.limitBytes === undefined ? {} : { bodyLimit: route.limitBytes };
    room.post(path, limit, async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const from = { address: request.ip, requestId: request.id };
      const answer = await route.handler({ headers: request.headers, body, from });
      if (isRaw(answer)) return reply.code(answer.status).type(answer.type).send(answer.bytes);
      const sent = sentOf(route.schema.response, answer);
      return reply.code(sent.status).type(JSON_TYPE).send(sent.text);
    });
  });
}
