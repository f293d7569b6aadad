import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RouteRow } from '../src/platform/http/http.ts';
import { openTestService, type TestService, type TestTeam } from './service.ts';
import { openRouteSamples, type RouteCall, type RouteSamples } from './route-samples.ts';

/** Hostile values for any field: too large for a column, invalid text, invalid timestamps. */
const HOSTILE = [
  Number.MAX_SAFE_INTEGER,
  -1,
  'a\0b',
  'x'.repeat(300),
  '%',
  '2026-02-30',
  '0000-01-01',
] as const;
/** Additional values that only bodies can contain. */
const HOSTILE_IN_BODIES = [...HOSTILE, '9999-12-31T23:59:59-12:00', null, {}, [[]], 1e308, '\ud800'] as const;

let service: TestService;
let samples: RouteSamples;
let owner: TestTeam;

/** Each suite has its own service: leftover work of one would delay the clock route of the other. */
const withOwnService = () => {
  beforeAll(async () => {
    service = await openTestService();
    samples = await openRouteSamples(service);
    owner = samples.owner;
  });
  afterAll(() => service.close());
};

let calls = 0;
let nextValue = 0;

/** Returns the response status. Uses a new address each time, so that no rate limit applies. */
async function sendCall(route: RouteRow, { method, url, body }: RouteCall): Promise<number> {
  calls += 1;
  const headers: Record<string, string> =
    route.scope === 'team' ? { 'x-service-api-key': owner.key } : { 'x-management-key': owner.managementKey };
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const answer = await service.http.server.inject({
    method,
    url,
    headers: payload === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    remoteAddress: `10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`,
    ...(payload === undefined ? {} : { payload }),
  });
  return answer.statusCode;
}

const clockRouteRank = ({ path }: RouteRow) => Number(path.endsWith('/sandbox/clock'));

/** The clock route first: it waits for deliveries that the other routes cause. */
const routesWith = (method: string): RouteRow[] =>
  service.http.routes
    .filter((route) => route.method === method && (route.scope === 'team' || route.scope === 'management'))
    .toSorted((one, other) => clockRouteRank(other) - clockRouteRank(one));

const describeCall = ({ method, url, body }: RouteCall) =>
  `${method} ${url.slice(0, 200)} ${JSON.stringify(body)?.slice(0, 200) ?? ''}`;

/** The field names of an object schema, also inside optional wrappers. */
function fieldsOf(schema: z.ZodType | undefined): string[] {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return fieldsOf(schema.unwrap() as z.ZodType);
  return schema && 'shape' in schema && typeof schema.shape === 'object'
    ? Object.keys(schema.shape ?? {})
    : [];
}

/** Variants of the call, each with one value replaced. */
function* hostileCalls(route: RouteRow): Generator<RouteCall> {
  const call = samples.callOf(route);
  for (const field of fieldsOf(route.schema.query)) {
    for (const value of HOSTILE) yield { ...call, url: withQuery(call.url, field, String(value)) };
  }
  for (const value of HOSTILE) {
    for (const url of withPathParameter(route, call.url, encodeURIComponent(value))) yield { ...call, url };
  }
  const { body } = call;
  if (typeof body !== 'object' || body === null) return;
  for (const field of fieldsOf(route.schema.body)) {
    for (const value of HOSTILE_IN_BODIES) yield { ...call, body: { ...body, [field]: value } };
  }
  // There are many nested fields: each gets one of the values in turn.
  for (const place of nestedPaths(body)) {
    const value = HOSTILE_IN_BODIES[(nextValue += 1) % HOSTILE_IN_BODIES.length];
    yield { ...call, body: setAt(body, place, value) };
  }
}

type PathStep = string | number;

/** Paths of nested values in a body, below the first level. */
function* nestedPaths(inside: object, path: readonly PathStep[] = []): Generator<readonly PathStep[]> {
  for (const [key, value] of Object.entries(inside)) {
    const place = [...path, Array.isArray(inside) ? Number(key) : key];
    if (path.length > 0) yield place;
    if (typeof value === 'object' && value !== null) yield* nestedPaths(value, place);
  }
}

/** A copy with another value at a path. */
function setAt(body: object, [step = '', ...rest]: readonly PathStep[], value: unknown): object {
  const copy: Record<PathStep, unknown> = Array.isArray(body) ? ([...body] as never) : { ...body };
  copy[step] = rest.length === 0 ? value : setAt(copy[step] as object, rest, value);
  return copy;
}

function withQuery(url: string, field: string, value: string): string {
  const [path = '', query = ''] = url.split('?');
  const fields = new URLSearchParams(query);
  fields.set(field, value);
  return `${path}?${fields}`;
}

/** Replaces each path parameter by the value, one at a time. */
function* withPathParameter(route: RouteRow, url: string, value: string): Generator<string> {
  const [path = '', query = ''] = url.split('?');
  const parts = path.split('/');
  for (const [index, part] of route.path.split('/').entries()) {
    if (part.startsWith(':')) yield `${parts.with(index, value).join('/')}${query && `?${query}`}`;
  }
}

const CONCURRENT_CALLS = 3;

async function failuresAtOnce(method: string): Promise<string[]> {
  const fallen: string[] = [];
  for (const route of routesWith(method)) {
    const call = samples.callOf(route);
    const statuses = await Promise.all(Array.from({ length: CONCURRENT_CALLS }, () => sendCall(route, call)));
    if (statuses.some((status) => status >= 500)) fallen.push(`${describeCall(call)}: ${statuses.join(' ')}`);
  }
  return fallen;
}

// DELETE comes last: it removes the resources and keys that other calls need.
const IN_THIS_ORDER = { shuffle: false };

describe('no route returns a server error', IN_THIS_ORDER, () => {
  withOwnService();

  // There are too many POST routes for the timeout of one test on a slow machine.
  it.each<[name: string, method: string, half?: number]>([
    ['GET', 'GET'],
    ['POST, one half', 'POST', 0],
    ['POST, the other half', 'POST', 1],
    ['PUT', 'PUT'],
    ['PATCH', 'PATCH'],
    ['DELETE', 'DELETE'],
  ])('for hostile values: %s', async (_name, method, half) => {
    const fallen: string[] = [];
    for (const [index, route] of routesWith(method).entries()) {
      if (half !== undefined && index % 2 !== half) continue;
      for (const call of hostileCalls(route)) {
        const status = await sendCall(route, call);
        if (status >= 500 && status !== 503) fallen.push(`${describeCall(call)}: ${status}`);
      }
    }
    expect(fallen).toEqual([]);
  });
});

describe('no route returns a server error under concurrency', IN_THIS_ORDER, () => {
  withOwnService();

  it.each([['POST'], ['PUT'], ['PATCH'], ['DELETE']])(
    'for identical concurrent requests: %s',
    async (method) => {
      expect(await failuresAtOnce(method)).toEqual([]);
    },
  );
});
