import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import type { z } from 'zod';
import { addBytesParser } from './body.ts';
import type { BodyReceiver } from './body-receiver.ts';
import { JSON_CONTENT_TYPE, serializeResponse } from './exchange.ts';
import type { RouteResponse, ResponseSchemas, RouteSchema } from './route.ts';

/** A callback from an external system. The handler authenticates it by a signature over the bytes. */
interface InboundInput {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** For the audit log. */
  readonly from: { readonly address: string; readonly requestId: string };
}

/** A route without an API key that gets the raw body bytes. It opens its own transactions. */
export interface InboundRoute<R extends ResponseSchemas> {
  readonly schema: RouteSchema<undefined, undefined, undefined, R>;
  /** Maximum body size. Default: the general limit. */
  readonly limitBytes?: number;
  readonly handler: (
    input: InboundInput,
  ) => Promise<InboundResponseBody<R[keyof R]> | RouteResponse<R> | RawResponse>;
}

/** A response that is not JSON, as the sender's protocol requires. */
interface RawResponse {
  readonly raw: true;
  readonly status: number;
  readonly type: string;
  readonly bytes: Buffer;
}

export const rawResponse = (status: number, type: string, bytes: Buffer): RawResponse => ({
  raw: true,
  status,
  type,
  bytes,
});

const isRawResponse = (answer: unknown): answer is RawResponse =>
  typeof answer === 'object' && answer !== null && 'raw' in answer && answer.raw === true;

type InboundResponseBody<S> = S extends z.ZodType ? z.input<S> : undefined | void;

export type AnyInboundRoute = InboundRoute<ResponseSchemas>;

interface ServedInboundRoute {
  readonly path: string;
  readonly route: AnyInboundRoute;
  readonly receiver: BodyReceiver;
  readonly onRequest: onRequestAsyncHookHandler;
}

/** Registered in its own Fastify scope, where bodies of every media type stay bytes. */
export function serveInbound(
  server: FastifyInstance,
  { path, route, receiver, onRequest }: ServedInboundRoute,
): void {
  server.register(async (room) => {
    addBytesParser(room, receiver);
    const limit = route.limitBytes === undefined ? {} : { bodyLimit: route.limitBytes };
    room.post(path, { ...limit, onRequest }, async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const from = { address: request.ip, requestId: request.id };
      const answer = await route.handler({ headers: request.headers, body, from });
      if (isRawResponse(answer)) return reply.code(answer.status).type(answer.type).send(answer.bytes);
      const sent = serializeResponse(route.schema.response, answer);
      return reply.code(sent.status).type(JSON_CONTENT_TYPE).send(sent.text);
    });
  });
}
