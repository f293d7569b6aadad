import type { RouteRow } from '../../src/platform/http/http.ts';
import { parametersOf } from '../route-samples.ts';
import { seededRandom, type SeededRandom } from '../seeded-random.ts';
import { HOSTILE_BODIES, HOSTILE_HEADERS, HOSTILE_VALUES } from './hostile-values.ts';
import { nextAddress, type AttackRequest, type AttackStage } from './stage.ts';

/**
 * Operations that would end the attack: they delete the team or its keys, move its clock by months, or erase what the
 * other requests need. They are called with the ids of nothing only.
 */
const ENDS_ATTACK =
  /^(delete|rotate|revoke|remove|end|set|update|change).*(Team|Key|Member|Organization|Environment|Clock|User|BreakGlass)s?$|[cC]lock/;

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'] as const;

interface DraftRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
}

/** An endless sequence of requests, the same for each seed: valid ones with one to three faults. */
export function* hostileRequests(stage: AttackStage, seed: number): Generator<AttackRequest> {
  const random = seededRandom(seed);
  for (;;) {
    const draft = draftRequest(stage, random);
    for (let faults = random.below(3); faults >= 0; faults -= 1) random.pick(FAULTS)(draft, random);
    const { body, ...rest } = draft;
    const carriesBody = body !== undefined && rest.method !== 'GET' && rest.method !== 'HEAD';
    yield carriesBody ? { ...rest, body } : rest;
  }
}

function draftRequest(stage: AttackStage, random: SeededRandom): DraftRequest {
  const route = random.pick(stage.routes);
  const call = callOf(stage, route, random);
  const body = call.body === undefined ? undefined : JSON.stringify(damage(call.body, random));
  return {
    method: route.method,
    path: call.url,
    headers: {
      ...credentialFor(stage, route, random),
      'x-forwarded-for': nextAddress(),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body,
  };
}

function callOf(stage: AttackStage, route: RouteRow, random: SeededRandom): { url: string; body: unknown } {
  const isSafe = !ENDS_ATTACK.test(route.schema.operationId) && route.scope !== 'open';
  if (isSafe) return stage.samples.callOf(route);
  const url = parametersOf(route).reduce(
    (path, name) => path.replace(`:${name}`, () => encode(random.pick(HOSTILE_VALUES))),
    route.path,
  );
  return { url, body: route.method === 'GET' ? undefined : {} };
}

function credentialFor(stage: AttackStage, route: RouteRow, random: SeededRandom): Record<string, string> {
  const { owner } = stage.samples;
  if (random.oneIn(20)) return {};
  if (random.oneIn(20)) return { 'x-service-api-key': `sk_us_${'0'.repeat(43)}` };
  return route.scope === 'management' && !random.oneIn(20)
    ? { 'x-management-key': owner.managementKey }
    : { 'x-service-api-key': owner.key };
}

/** Replaces, adds or removes one value of a body. */
function damage(body: unknown, random: SeededRandom): unknown {
  if (typeof body !== 'object' || body === null || random.oneIn(30)) return random.pick(HOSTILE_VALUES);
  const entries = Object.entries(body);
  if (entries.length === 0 || random.oneIn(15))
    return { ...body, unknown_field: random.pick(HOSTILE_VALUES) };
  const [key, value] = random.pick(entries);
  const isNested = typeof value === 'object' && value !== null && !random.oneIn(3);
  const changed = isNested ? damage(value, random) : random.pick(HOSTILE_VALUES);
  if (Array.isArray(body)) return body.with(Number(key), changed);
  if (random.oneIn(6)) return Object.fromEntries(entries.filter(([name]) => name !== key));
  return { ...body, [key]: changed };
}

type Fault = (draft: DraftRequest, random: SeededRandom) => void;

const FAULTS: readonly Fault[] = [
  () => {},
  () => {},
  (draft, random) => {
    const [name, value] = random.pick(HOSTILE_HEADERS);
    // undici accepts bytes only.
    draft.headers[name] = Buffer.from(value).toString('latin1');
  },
  (draft, random) => {
    draft.body = random.pick(HOSTILE_BODIES);
  },
  (draft, random) => {
    draft.method = random.pick(METHODS);
  },
  (draft, random) => {
    const joiner = draft.path.includes('?') ? '&' : '?';
    draft.path += `${joiner}${random.pick(QUERY_FIELDS)}=${encode(random.pick(HOSTILE_VALUES))}`;
  },
  (draft, random) => {
    const [path = '', query = ''] = draft.path.split('?');
    const parts = path.split('/');
    const place = 1 + random.below(Math.max(1, parts.length - 1));
    draft.path = `${parts.with(Math.min(place, parts.length - 1), encode(random.pick(HOSTILE_VALUES))).join('/')}${query && `?${query}`}`;
  },
];

const QUERY_FIELDS = [
  'limit',
  'offset',
  'page',
  'size',
  'cursor',
  'next_cursor',
  'start_date',
  'end_date',
  'user_id',
  'user_id',
  'order_by',
  'order_direction',
  'search_input',
  'status',
  'provider',
  'after',
  'collection_method',
] as const;

/** Long values stay below the limit of a request's head. */
const encode = (value: unknown): string =>
  encodeURIComponent(
    toText(value)
      .slice(0, 1000)
      .replaceAll(/\p{Surrogate}/gu, '?'),
  ) || '%20';

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : String(JSON.stringify(value) ?? value);
