import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RouteRow } from '../src/platform/http/http.ts';
import { openHouse, type House, type TeamInHand } from './house.ts';
import { openRouteSamples, type RouteCall, type RouteSamples } from './route-samples.ts';

/** What a caller may send in the place of anything: more than a column holds, what no text may have, what is no moment. */
const HOSTILE = [
  Number.MAX_SAFE_INTEGER,
  -1,
  'a\0b',
  'x'.repeat(300),
  '%',
  '2026-02-30',
  '0000-01-01',
] as const;
/** Only in bodies; texts of addresses are never these. */
const HOSTILE_IN_BODIES = [...HOSTILE, '9999-12-31T23:59:59-12:00', null, {}, [[]], 1e308, '\ud800'] as const;

let house: House;
let samples: RouteSamples;
let owner: TeamInHand;

/** Each walk has a house of its own: what one leaves behind would keep the clock of the other waiting. */
const inOwnHouse = () => {
  beforeAll(async () => {
    house = await openHouse();
    samples = await openRouteSamples(house);
    owner = samples.owner;
  });
  afterAll(() => house.close());
};

let calls = 0;
let turn = 0;

/** The status of the answer. Each time from another address: nobody is told to wait. */
async function ask(route: RouteRow, { method, url, body }: RouteCall): Promise<number> {
  calls += 1;
  const headers: Record<string, string> =
    route.scope === 'team' ? { 'x-service-api-key': owner.key } : { 'x-management-key': owner.managementKey };
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const answer = await house.http.server.inject({
    method,
    url,
    headers: payload === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    remoteAddress: `10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`,
    ...(payload === undefined ? {} : { payload }),
  });
  return answer.statusCode;
}

const waits = ({ path }: RouteRow) => Number(path.endsWith('/sandbox/clock'));

/** The clock first: it waits for what the other routes make the service owe to endpoints that nobody hears. */
const routesWith = (method: string): RouteRow[] =>
  house.http.routes
    .filter((route) => route.method === method && (route.scope === 'team' || route.scope === 'management'))
    .toSorted((one, other) => waits(other) - waits(one));

const told = ({ method, url, body }: RouteCall) =>
  `${method} ${url.slice(0, 200)} ${JSON.stringify(body)?.slice(0, 200) ?? ''}`;

/** A body that may be left out has its fields inside. */
function fieldsOf(schema: z.ZodType | undefined): string[] {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return fieldsOf(schema.unwrap() as z.ZodType);
  return schema && 'shape' in schema && typeof schema.shape === 'object'
    ? Object.keys(schema.shape ?? {})
    : [];
}

/** The same call, each time with one of its values replaced. */
function* spoiled(route: RouteRow): Generator<RouteCall> {
  const call = samples.callOf(route);
  for (const field of fieldsOf(route.schema.query)) {
    for (const value of HOSTILE) yield { ...call, url: withQuery(call.url, field, String(value)) };
  }
  for (const value of HOSTILE) {
    for (const url of withPlaces(route, call.url, encodeURIComponent(value))) yield { ...call, url };
  }
  const { body } = call;
  if (typeof body !== 'object' || body === null) return;
  for (const field of fieldsOf(route.schema.body)) {
    for (const value of HOSTILE_IN_BODIES) yield { ...call, body: { ...body, [field]: value } };
  }
  // There are many of these: each gets one of the values, in turn.
  for (const place of placesIn(body)) {
    const value = HOSTILE_IN_BODIES[(turn += 1) % HOSTILE_IN_BODIES.length];
    yield { ...call, body: put(body, place, value) };
  }
}

type Step = string | number;

/** Where something stands inside of what stands in a body. */
function* placesIn(inside: object, path: readonly Step[] = []): Generator<readonly Step[]> {
  for (const [key, value] of Object.entries(inside)) {
    const place = [...path, Array.isArray(inside) ? Number(key) : key];
    if (path.length > 0) yield place;
    if (typeof value === 'object' && value !== null) yield* placesIn(value, place);
  }
}

/** A copy with another value in one place. */
function put(body: object, [step = '', ...rest]: readonly Step[], value: unknown): object {
  const copy: Record<Step, unknown> = Array.isArray(body) ? ([...body] as never) : { ...body };
  copy[step] = rest.length === 0 ? value : put(copy[step] as object, rest, value);
  return copy;
}

function withQuery(url: string, field: string, value: string): string {
  const [path = '', query = ''] = url.split('?');
  const fields = new URLSearchParams(query);
  fields.set(field, value);
  return `${path}?${fields}`;
}

/** One parameter of the path after the other is the value. */
function* withPlaces(route: RouteRow, url: string, value: string): Generator<string> {
  const [path = '', query = ''] = url.split('?');
  const parts = path.split('/');
  for (const [index, part] of route.path.split('/').entries()) {
    if (part.startsWith(':')) yield `${parts.with(index, value).join('/')}${query && `?${query}`}`;
  }
}

const AT_ONCE = 3;

async function fallenAtOnce(method: string): Promise<string[]> {
  const fallen: string[] = [];
  for (const route of routesWith(method)) {
    const call = samples.callOf(route);
    const statuses = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(route, call)));
    if (statuses.some((status) => status >= 500)) fallen.push(`${told(call)}: ${statuses.join(' ')}`);
  }
  return fallen;
}

// Deleting comes last: of what is gone nothing more can be asked, and the keys are among it.
const IN_THIS_ORDER = { shuffle: false };

describe('no route falls', IN_THIS_ORDER, () => {
  inOwnHouse();

  // There are so many POSTs that a slow machine does not walk all of them in the time of one test.
  it.each<[name: string, method: string, half?: number]>([
    ['GET', 'GET'],
    ['POST, one half', 'POST', 0],
    ['POST, the other half', 'POST', 1],
    ['PUT', 'PUT'],
    ['PATCH', 'PATCH'],
    ['DELETE', 'DELETE'],
  ])('over a value that nobody would think of: %s', async (_name, method, half) => {
    const fallen: string[] = [];
    for (const [index, route] of routesWith(method).entries()) {
      if (half !== undefined && index % 2 !== half) continue;
      for (const call of spoiled(route)) {
        const status = await ask(route, call);
        if (status >= 500 && status !== 503) fallen.push(`${told(call)}: ${status}`);
      }
    }
    expect(fallen).toEqual([]);
  });
});

describe('no route falls either', IN_THIS_ORDER, () => {
  inOwnHouse();

  it.each([['POST'], ['PUT'], ['PATCH'], ['DELETE']])(
    'when the same is asked several times at once: %s',
    async (method) => {
      expect(await fallenAtOnce(method)).toEqual([]);
    },
  );
});
