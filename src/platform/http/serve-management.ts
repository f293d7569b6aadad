import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Platform } from '../work.ts';
import { accepts } from './accepts.ts';
import { inputOf, sentOf, type Readers } from './exchange.ts';
import { fileTypeOf } from './file-answer.ts';
import type { Answers, Gate, ManagementInput, ManagementRoute, Method } from './route.ts';

export type AnyManagementRoute = ManagementRoute<z.ZodType, z.ZodType, z.ZodType, Answers>;

interface Served {
  readonly app: Platform;
  readonly gate: Gate;
  readonly method: Method;
  readonly route: AnyManagementRoute;
  readonly readers: Readers;
}

const JSON_TYPE = 'application/json';

/** Key, validation, then the handler, which opens its own transactions. */
export function serveManagement({ app, gate, method, route, readers }: Served) {
  const { tag, file, response } = route.schema;
  const { stream } = route;
  const streamed = stream && fileTypeOf(file);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { headers: sentHeaders, ip: address } = request;
    const principal = await gate.management({ headers: sentHeaders, address, method, tag });
    const { input, headers } = inputOf(app.config, readers, request);
    const from = { address, requestId: request.id };
    const full = { ...input, principal, from } as ManagementInput<z.ZodType, z.ZodType, z.ZodType>;
    void reply.headers(headers);
    if (stream && streamed !== undefined) {
      void reply.header('vary', 'accept');
      if (accepts(sentHeaders.accept, [JSON_TYPE, streamed]) === streamed) {
        return reply.type(streamed).send(Readable.from(await begun(stream(full))));
      }
    }
    const sent = sentOf(response, await route.handler(full));
    return reply.code(sent.status).type(JSON_TYPE).send(sent.text);
  };
}

/** The same pieces, the first of them read already, so that what it throws can still be answered. */
async function begun(pieces: AsyncIterable<string>): Promise<AsyncIterable<string>> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    if (first.done === true) return;
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
}
