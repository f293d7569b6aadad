import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { DomainError } from '../errors.ts';
import { inTenant, readTenant, type Platform, type Work } from '../work.ts';
import { inputOf, JSON_TYPE, sentOf, type Readers } from './exchange.ts';
import { begunOnce, hashRequest, once } from './idempotency.ts';
import { findAnswer, type IdempotentRequest, type SentAnswer } from './idempotency-store.ts';
import type { Answers, Gate, Method, TeamInput, TeamPrincipal, TeamRoute } from './route.ts';
import { observed, type From, type Stand, type Witness } from './witness.ts';

export type AnyTeamRoute = TeamRoute<z.ZodType, z.ZodType, z.ZodType, Answers, unknown>;

export interface Served {
  readonly app: Platform;
  readonly gate: Gate;
  readonly method: Method;
  readonly path: string;
  readonly route: AnyTeamRoute;
  readonly readers: Readers;
  /** Where the accesses by this route are written down. */
  readonly witness?: Witness | undefined;
}

const DEFAULT_KEEP_HOURS = 24;
const KEY_LENGTH_MAX = 255;

/** Key, feature, validation, then one transaction for the effect, its events and the kept answer. */
export function serveTeam(served: Served) {
  const { method, route } = served;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const entered = await enter(served, request);
    const { params, query, body = null } = request;
    const repeat = method === 'GET' ? undefined : idempotencyOf(route, request, [params, query, body]);
    const full = { ...entered.full, repeatKey: repeat?.key };
    const sent = await answerOf(served, { ...entered, full, repeat, from: fromOf(request) });
    return reply.code(sent.status).headers(sent.headers).type(JSON_TYPE).send(sent.text);
  };
}

/** What a handler is given of a request, and the headers that its handling adds to the answer. */
export interface Entered {
  readonly full: TeamInput<z.ZodType, z.ZodType, z.ZodType>;
  readonly headers: Record<string, string>;
}

/** Lets a request in: key, feature, validation. */
export async function enter(
  { app, gate, method, route, readers }: Served,
  request: FastifyRequest,
): Promise<Entered> {
  const principal = await admit({ gate, method, route }, request);
  const { input, headers } = inputOf(app.config, readers, request);
  const full = { ...input, tenant: principal.tenant, principal, repeatKey: undefined } as Entered['full'];
  return { full, headers };
}

/** Who calls, if this route is for them. */
export async function admit(
  { gate, method, route }: Pick<Served, 'gate' | 'method' | 'route'>,
  { headers, ip }: FastifyRequest,
): Promise<TeamPrincipal> {
  const principal = await gate.team({ headers, address: ip, method, tag: route.schema.tag });
  if (route.feature !== undefined && !principal.features.has(route.feature)) {
    throw new DomainError('forbidden', `The feature ${route.feature} is not enabled for this team`);
  }
  return principal;
}

interface Exchange extends Entered {
  readonly repeat: IdempotentRequest | undefined;
  readonly from: From;
}

export const fromOf = ({ ip, id }: FastifyRequest): From => ({ address: ip, requestId: id });

/** The place from which an access is seen, if it is to be written down. */
export const standOf = (
  { method, route, witness }: Served,
  { full, from }: Pick<Exchange, 'full' | 'from'>,
): Stand | undefined =>
  witness && {
    witness,
    access: {
      ...from,
      principal: full.principal,
      operation: route.schema.operationId,
      method,
      input: full,
    },
  };

type Changed = (work: Work, status: number) => void;

/** Does what a request asks, once for an idempotency key, and has it written down. */
export const answerOf = (served: Served, exchange: Exchange): Promise<SentAnswer> =>
  observed(standOf(served, exchange), (changed, begun) => answered(served, exchange, { changed, begun }));

async function answered(
  { app, method, route }: Served,
  { full, repeat, headers }: Exchange,
  { changed, begun }: { changed: Changed; begun: () => void },
): Promise<SentAnswer> {
  const { tenant } = full;
  if (repeat && route.prepare) {
    // What was answered already need not bother the outside again.
    const kept = await readTenant(app, tenant, (work) => findAnswer(work, repeat));
    if (kept) return kept;
  }
  const prepared = await preparedBy(app, route, { full, repeat });
  const effect = async (work: Work): Promise<SentAnswer> => {
    const sent = sentOf(route.schema.response, await route.handler({ ...full, work, prepared }));
    return { ...sent, headers };
  };
  if (method === 'GET') return readTenant(app, tenant, effect);
  const change = async (work: Work): Promise<SentAnswer> => {
    const sent = await effect(work);
    changed(work, sent.status);
    return sent;
  };
  return inTenant(app, tenant, (work) => {
    begun();
    return repeat ? once(work, repeat, change) : change(work);
  });
}

/** What a route has to do before its transaction. */
export const preparedBy = async (
  app: Platform,
  { prepare }: AnyTeamRoute,
  { full, repeat }: Pick<Exchange, 'full' | 'repeat'>,
): Promise<unknown> =>
  prepare?.({
    ...full,
    begin: (beginning) =>
      inTenant(app, full.tenant, (work) =>
        repeat ? begunOnce(work, repeat, beginning) : beginning.effect(work),
      ),
  });

/** The idempotency key of a request, which is the same request again when `parts` are the same. */
export function idempotencyOf(
  route: AnyTeamRoute,
  request: Pick<FastifyRequest, 'headers'>,
  parts: readonly unknown[],
): IdempotentRequest | undefined {
  const key = request.headers['x-idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length < 1 || key.length > KEY_LENGTH_MAX) {
    const msg = `expected 1 to ${KEY_LENGTH_MAX} characters`;
    throw new DomainError('invalid', [{ loc: ['header', 'X-Idempotency-Key'], msg, type: 'value_error' }]);
  }
  return {
    operation: route.schema.operationId,
    key,
    hash: hashRequest(...parts),
    forgetErrors: request.headers['x-idempotency-error'] === 'no-cache',
    keepHours: route.keepAnswerHours ?? DEFAULT_KEEP_HOURS,
  };
}
