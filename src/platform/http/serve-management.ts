import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ENVIRONMENTS } from '../tenant.ts';
import type { Platform } from '../work.ts';
import { accepts, JSON_MEDIA } from './accepts.ts';
import { inputOf, JSON_TYPE, sentOf, type Readers } from './exchange.ts';
import { fileTypeOf } from './file-answer.ts';
import type { Answers, Gate, ManagementInput, ManagementRoute, Method } from './route.ts';
import type { Witness } from './witness.ts';

export type AnyManagementRoute = ManagementRoute<z.ZodType, z.ZodType, z.ZodType, Answers>;

interface Served {
  readonly app: Platform;
  readonly gate: Gate;
  readonly method: Method;
  readonly route: AnyManagementRoute;
  readonly readers: Readers;
  /** Where it is written down that somebody read what may be a patient's. The path of such a route names the tenant. */
  readonly witness?: Witness | undefined;
}

type FullInput = ManagementInput<z.ZodType, z.ZodType, z.ZodType>;

/** Key, validation, then the handler, which opens its own transactions. */
export function serveManagement(served: Served) {
  const { app, gate, method, route, readers } = served;
  const { tag, file, response } = route.schema;
  const { stream } = route;
  const streamed = stream && fileTypeOf(file);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { headers: sentHeaders, ip: address } = request;
    const principal = await gate.management({ headers: sentHeaders, address, method, tag });
    const { input, headers } = inputOf(app.config, readers, request);
    const from = { address, requestId: request.id };
    const full = { ...input, principal, from } as FullInput;
    void reply.headers(headers);
    if (stream && streamed !== undefined) {
      void reply.header('vary', 'accept');
      if (accepts(sentHeaders.accept, [JSON_MEDIA, streamed]) === streamed) {
        const pieces = await begun(stream(full));
        note(served, full, OK);
        return reply.type(streamed).send(Readable.from(pieces));
      }
    }
    const sent = sentOf(response, await route.handler(full));
    note(served, full, sent.status);
    return reply.code(sent.status).type(JSON_TYPE).send(sent.text);
  };
}

const OK = 200;

const TenantPath = z.object({ team_id: z.guid().toLowerCase(), environment: z.enum(ENVIRONMENTS) });

/** What was refused is not noted: it need not have been a tenant of this key. */
function note({ method, route, witness }: Served, full: FullInput, status: number): void {
  if (!witness) return;
  const { team_id: teamId, environment } = TenantPath.parse(full.params);
  const principal = {
    tenant: { teamId, environment },
    keyId: full.principal.keyId,
    kind: 'management_key' as const,
  };
  const operation = route.schema.operationId;
  witness.note({ ...full.from, principal, operation, method, input: full }, status);
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
