import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { DomainError } from '../errors.ts';
import { inTenant, readTenant, type Platform, type Work } from '../work.ts';
import { inputOf, sentOf, type Readers } from './exchange.ts';
import { hashRequest, once } from './idempotency.ts';
import { findAnswer, type IdempotentRequest, type SentAnswer } from './idempotency-store.ts';
import type { Answers, Gate, Method, TeamInput, TeamRoute } from './route.ts';

export type AnyTeamRoute = TeamRoute<z.ZodType, z.ZodType, z.ZodType, Answers, unknown>;

export interface Served {
  readonly app: Platform;
  readonly gate: Gate;
  readonly method: Method;
  readonly path: string;
  readonly route: AnyTeamRoute;
  readonly readers: Readers;
}

const DEFAULT_KEEP_HOURS = 24;
const KEY_LENGTH_MAX = 255;

/** Key, feature, validation, then one transaction for the effect, its events and the kept answer. */
export function serveTeam(served: Served) {
  const { method, route } = served;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const entered = await enter(served, request);
    const repeat = method === 'GET' ? undefined : idempotencyOf(route, request);
    const sent = await answerOf(served, { ...entered, repeat });
    return reply.code(sent.status).headers(sent.headers).type('application/json').send(sent.text);
  };
}

/** What a handler is given of a request, and the headers that its handling adds to the answer. */
export interface Entered {
  readonly full: TeamInput<z.ZodType, z.ZodType, z.ZodType>;
  readonly headers: Record<string, string>;
}

/** Lets a request in: key, feature, validation. */
export async function enter(
  { app, gate, route, readers }: Served,
  request: FastifyRequest,
): Promise<Entered> {
  const principal = await gate.team(request.headers);
  if (route.feature !== undefined && !principal.features.has(route.feature)) {
    throw new DomainError('forbidden', `The feature ${route.feature} is not enabled for this team`);
  }
  const { input, headers } = inputOf(app.config, readers, request);
  const full = { ...input, tenant: principal.tenant, principal } as Entered['full'];
  return { full, headers };
}

interface Exchange extends Entered {
  readonly repeat: IdempotentRequest | undefined;
}

async function answerOf(
  { app, method, route }: Served,
  { full, repeat, headers }: Exchange,
): Promise<SentAnswer> {
  const { tenant } = full;
  if (repeat && route.prepare) {
    // What was answered already need not bother the outside again.
    const kept = await readTenant(app, tenant, (work) => findAnswer(work, repeat));
    if (kept) return kept;
  }
  const prepared = await route.prepare?.(full);
  const effect = async (work: Work): Promise<SentAnswer> => {
    const sent = sentOf(route.schema.response, await route.handler({ ...full, work, prepared }));
    return { ...sent, headers };
  };
  if (method === 'GET') return readTenant(app, tenant, effect);
  return inTenant(app, tenant, (work) => (repeat ? once(work, repeat, () => effect(work)) : effect(work)));
}

function idempotencyOf(route: AnyTeamRoute, request: FastifyRequest): IdempotentRequest | undefined {
  const key = request.headers['x-idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length < 1 || key.length > KEY_LENGTH_MAX) {
    const msg = `expected 1 to ${KEY_LENGTH_MAX} characters`;
    throw new DomainError('invalid', [{ loc: ['header', 'X-Idempotency-Key'], msg, type: 'value_error' }]);
  }
  return {
    operation: route.schema.operationId,
    key,
    hash: hashRequest(request.params, request.query, request.body ?? null),
    forgetErrors: request.headers['x-idempotency-error'] === 'no-cache',
    keepHours: route.keepAnswerHours ?? DEFAULT_KEEP_HOURS,
  };
}
