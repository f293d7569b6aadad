import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { FieldError } from '../errors.ts';
import { problemOf } from './errors.ts';
import type { Method, ResponseSchemas, RouteSchema, TeamPrincipal } from './route.ts';

/** Where a request was invalid; no value, and no name that the API does not define. */
export interface ProblemLocation {
  readonly loc: readonly (string | number)[];
  readonly type: string;
}

/** A request of an authenticated caller that was answered. */
export interface AnsweredRequest {
  readonly principal: TeamPrincipal;
  readonly operation: string;
  readonly method: Method;
  /** The path with the names of its parameters. */
  readonly route: string;
  /** The same with the values that are UUIDs: any other value might be a name. */
  readonly path: string;
  readonly status: number;
  readonly arrivedAt: Date;
  readonly durationMs: number;
  readonly requestId: string;
  readonly idempotencyKey: string | null;
  readonly problem: { readonly code: string; readonly locations: readonly ProblemLocation[] } | null;
}

/** Logs the requests to the team API, without delaying them. */
export interface RequestLogger {
  add(request: AnsweredRequest): void;
  /** Flushes the buffer. */
  close(): Promise<void>;
}

interface ArrivedRequest {
  readonly principal: TeamPrincipal;
  readonly arrivedAt: Date;
  readonly method: Method;
  readonly path: string;
  readonly route: {
    readonly schema: RouteSchema<z.ZodType, z.ZodType, z.ZodType, ResponseSchemas>;
  };
}

const arrived = new WeakMap<FastifyRequest, ArrivedRequest>();

/** Remembers who makes a request. Requests without it, which nobody was authenticated for, are not logged. */
export const rememberCaller = (request: FastifyRequest, arrival: ArrivedRequest): void =>
  void arrived.set(request, arrival);

export const callerOf = (request: FastifyRequest): TeamPrincipal | undefined =>
  arrived.get(request)?.principal;

/** Logs every answered request of an authenticated caller. Closing the server flushes the log. */
export function logRequests(server: FastifyInstance, logger: RequestLogger): void {
  server.addHook('onResponse', async (request, reply) => {
    const arrival = arrived.get(request);
    if (!arrival) return;
    const { principal, arrivedAt, method, path: route, route: row } = arrival;
    const problem = problemOf(request);
    logger.add({
      principal,
      arrivedAt,
      method,
      route,
      operation: row.schema.operationId,
      path: fillUuids(route, request.params),
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime),
      requestId: request.id,
      idempotencyKey: readKey(request.headers['x-idempotency-key']),
      problem: problem && { code: problem.code, locations: toLocations(row.schema, problem.errors) },
    });
  });
  server.addHook('onClose', () => logger.close());
}

const KEY_MAX = 255;
const readKey = (given: string | string[] | undefined): string | null =>
  typeof given === 'string' && given.length <= KEY_MAX && !given.includes('\0') ? given : null;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function fillUuids(route: string, params: unknown): string {
  const values = typeof params === 'object' && params !== null ? new Map(Object.entries(params)) : new Map();
  return route.replace(/:(\w+)/g, (parameter, name: string) => {
    const value: unknown = values.get(name);
    return typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : parameter;
  });
}

const LOCATIONS_MAX = 20;

/** Keys of a body may be anything, so only names that the schemas of the route define are kept. */
function toLocations(
  schema: ArrivedRequest['route']['schema'],
  errors: readonly FieldError[],
): ProblemLocation[] {
  if (errors.length === 0) return [];
  const names = fieldNamesOf(schema);
  const keep = (step: string | number) => (typeof step === 'number' || names.has(step) ? step : '*');
  return errors.slice(0, LOCATIONS_MAX).map(({ loc: [part = '', ...steps], type }) => ({
    loc: [part, ...steps.map(keep)],
    type,
  }));
}

const fieldNames = new WeakMap<object, ReadonlySet<string>>();

/** The names of all properties in the schemas of a route's request. Collected at its first invalid request. */
function fieldNamesOf(schema: ArrivedRequest['route']['schema']): ReadonlySet<string> {
  const known = fieldNames.get(schema);
  if (known) return known;
  const names = new Set(['X-Idempotency-Key']);
  for (const part of [schema.params, schema.query, schema.body]) {
    if (part) collectNames(z.toJSONSchema(part, { io: 'input', unrepresentable: 'any' }), names);
  }
  fieldNames.set(schema, names);
  return names;
}

function collectNames(described: unknown, names: Set<string>): void {
  if (typeof described !== 'object' || described === null) return;
  for (const [key, part] of Object.entries(described)) {
    if (key === 'properties' && typeof part === 'object' && part !== null) {
      for (const name of Object.keys(part)) names.add(name);
    }
    collectNames(part, names);
  }
}
