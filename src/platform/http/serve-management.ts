import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Platform } from '../work.ts';
import { inputOf, sentOf, type Readers } from './exchange.ts';
import type { Answers, Gate, ManagementInput, ManagementRoute } from './route.ts';

export type AnyManagementRoute = ManagementRoute<z.ZodType, z.ZodType, z.ZodType, Answers>;

interface Served {
  readonly app: Platform;
  readonly gate: Gate;
  readonly route: AnyManagementRoute;
  readonly readers: Readers;
}

/** Key, validation, then the handler, which opens its own transactions. */
export function serveManagement({ app, gate, route, readers }: Served) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const principal = await gate.management(request.headers);
    const { input, headers } = inputOf(app.config, readers, request);
    const from = { address: request.ip, requestId: request.id };
    const full = { ...input, principal, from } as ManagementInput<z.ZodType, z.ZodType, z.ZodType>;
    const sent = sentOf(route.schema.response, await route.handler(full));
    return reply.code(sent.status).headers(headers).type('application/json').send(sent.text);
  };
}
