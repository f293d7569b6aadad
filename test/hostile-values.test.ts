import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
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

const EACH_PLACE = 5;

let house: House;
let samples: RouteSamples;
let owner: TeamInHand;

beforeAll(async () => {
  house = await openHouse();
  samples = await openRouteSamples(house);
  owner = samples.owner;
});
afterAll(() => house.close());

let calls = 0;
let turn = 0;

/** In turn, since there are many places: all of them come to every kind of place. */
const nextOf = <T>(values: readonly T[], count: number): T[] =>
  Array.from({ length: count }, () => values[(turn += 1) % values.length] as T);

/** Each time from another address: nobody is told to wait. */
async function ask(route: RouteRow, { method, url, body }: RouteCall): Promise<string | undefined> {
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
  if (answer.statusCode < 500 || answer.statusCode === 503) return undefined;
  return `${method} ${url.slice(0, 200)} ${payload?.slice(0, 200) ?? ''}: ${answer.statusCode}`;
}

const fieldsOf = (schema: z.ZodType | undefined): string[] =>
  schema && 'shape' in schema && typeof schema.shape === 'object' ? Object.keys(schema.shape ?? {}) : [];

/** The same call, each time with one of its values replaced. */
function* spoiled(route: RouteRow): Generator<RouteCall> {
  const call = samples.callOf(route);
  for (const field of fieldsOf(route.schema.query)) {
    for (const value of nextOf(HOSTILE, EACH_PLACE))
      yield { ...call, url: withQuery(call.url, field, String(value)) };
  }
  for (const value of nextOf(HOSTILE, EACH_PLACE)) {
    for (const url of withPlaces(route, call.url, encodeURIComponent(value))) yield { ...call, url };
  }
  const { body } = call;
  if (typeof body !== 'object' || body === null) return;
  for (const field of fieldsOf(route.schema.body)) {
    for (const value of nextOf(HOSTILE_IN_BODIES, EACH_PLACE))
      yield { ...call, body: { ...body, [field]: value } };
  }
  for (const place of placesIn(body)) {
    for (const value of nextOf(HOSTILE_IN_BODIES, 1)) yield { ...call, body: put(body, place, value) };
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

describe('no route falls', () => {
  it.each([['GET'], ['POST'], ['PUT'], ['PATCH'], ['DELETE']])(
    'over a value that nobody would think of: %s',
    async (method) => {
      const fallen: string[] = [];
      const routes = house.http.routes.filter(
        (route) => route.method === method && (route.scope === 'team' || route.scope === 'management'),
      );
      for (const route of routes) {
        for (const call of spoiled(route)) {
          const what = await ask(route, call);
          if (what) fallen.push(what);
        }
      }
      expect(fallen).toEqual([]);
    },
  );
});
