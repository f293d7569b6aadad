import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * What all stand-ins have in common: they hand out codes, redeem and refresh them as their provider does, know their
 * tokens, and can be made to misbehave. What a provider answers to them is in a file of its own.
 */

export const CLIENT = { clientId: 'client 1:a', clientSecret: 'secret/of+it:%' };
export const REDIRECT_URI = 'https://aliquot.example.com/v2/link/callback/x';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly json: Record<string, unknown>;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface Answered {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Issued {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly scopes: readonly string[];
}

/** How a provider differs from the others. */
export interface Wire {
  readonly slug: string;
  readonly user: string;
  readonly authorize: string;
  readonly token: string;
  readonly clientAuth: 'basic' | 'post';
  readonly pkce: boolean;
  readonly scopeSeparator: string;
  /** Where the token is taken back, and how the request says which one. */
  readonly revoke?: (asked: Asked) => string | 'all' | undefined;
  readonly tokenAnswer: (issued: Issued) => unknown;
  readonly tokenRefused: (why: 'client' | 'grant') => Answered;
  readonly accessRefused: Answered;
  readonly busy: Answered;
  /** The scope that a path needs, where it needs one. */
  readonly scopeOf: (asked: Asked) => string | undefined;
  readonly scopeRefused?: Answered;
  /** Questions of the application, which have no token of a user. */
  readonly ofApplication?: (asked: Asked, standIn: StandIn) => Answered | undefined;
  readonly data: (asked: Asked, standIn: StandIn) => Answered | undefined;
}

/** `hollow` answers nothing but `{}`, `odd` the right fields with nonsense in them. */
export type Mood =
  'well' | 'busy' | 'garbage' | 'hollow' | 'odd' | 'down' | 'elsewhere' | 'silent' | 'endless';

export interface StandIn {
  readonly wire: Wire;
  readonly url: string;
  /** Every request, as `GET /1/user/-/profile.json`. */
  readonly calls: string[];
  /** Where it was told to send its news, by whatever makes one different from another. */
  readonly subscriptions: Map<string, Record<string, unknown>>;
  readonly marks: Set<string>;
  mood: Mood;
  /** Where it leads when it is `elsewhere`. */
  elsewhere: string;
  /** All access tokens end; they can be refreshed. */
  expire(): void;
  /** The user takes back whatever was granted. */
  forget(): void;
  close(): Promise<void>;
}

interface Code {
  readonly challenge: string | null;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
}

interface Books {
  readonly codes: Map<string, Code>;
  readonly access: Map<string, readonly string[]>;
  readonly refresh: Map<string, readonly string[]>;
}

export async function openStandIn(wire: Wire): Promise<StandIn> {
  const books: Books = { codes: new Map(), access: new Map(), refresh: new Map() };
  const server = createServer((request, response) => {
    const answer = (asked: Asked) => {
      standIn.calls.push(`${asked.method} ${asked.path}`);
      if (standIn.mood === 'silent') return;
      if (standIn.mood === 'endless') return endless(response);
      const { status = 200, body, headers } = answerTo(standIn, books, asked);
      const text = typeof body === 'string' ? body : body === undefined ? '' : written(body, standIn.mood);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    };
    // A caller that ends in the middle of its question, as a house that closes does, waits for no answer.
    void readAsked(request).then(answer, () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const standIn: StandIn = {
    wire,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    subscriptions: new Map(),
    marks: new Set(),
    mood: 'well',
    elsewhere: '',
    expire: () => books.access.clear(),
    forget: () => {
      books.access.clear();
      books.refresh.clear();
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return standIn;
}

function answerTo(standIn: StandIn, books: Books, asked: Asked): Answered {
  const { wire, mood } = standIn;
  if (mood === 'busy') return wire.busy;
  if (mood === 'garbage') return { body: '<html>We are improving our service' };
  if (mood === 'hollow') return { body: {} };
  if (mood === 'down') return { status: 500, body: { error: 'oops' } };
  if (mood === 'elsewhere')
    return { status: 302, headers: { location: `${standIn.elsewhere}${asked.path}` } };
  if (asked.path === wire.authorize && asked.method === 'GET') return authorize(wire, books, asked);
  const revoked = wire.revoke?.(asked);
  if (revoked !== undefined) return revoke(books, revoked);
  const ofApplication = wire.ofApplication?.(asked, standIn);
  if (ofApplication) return ofApplication;
  if (asked.path === wire.token && asked.method === 'POST') return tokenFor(wire, books, asked);
  const token = asked.headers['authorization']?.replace(/^Bearer /, '') ?? '';
  const scopes = books.access.get(token);
  if (!scopes) return wire.accessRefused;
  const wanted = wire.scopeOf(asked);
  if (wanted !== undefined && !scopes.includes(wanted)) {
    return wire.scopeRefused ?? { status: 403, body: { message: 'Forbidden' } };
  }
  return wire.data(asked, standIn) ?? { status: 404, body: { message: 'Not found' } };
}

/** The user grants everything at once. */
function authorize(wire: Wire, books: Books, { query }: Asked): Answered {
  const redirectUri = query.get('redirect_uri') ?? '';
  if (query.get('client_id') !== CLIENT.clientId || query.get('response_type') !== 'code') {
    return { status: 400, body: 'Unknown application' };
  }
  if (wire.pkce && query.get('code_challenge_method') !== 'S256')
    return { status: 400, body: 'No challenge' };
  const scopes = (query.get('scope') ?? '').split(wire.scopeSeparator).filter(Boolean);
  const code = randomBytes(8).toString('hex');
  books.codes.set(code, { challenge: query.get('code_challenge'), redirectUri, scopes });
  const back = new URL(redirectUri);
  back.searchParams.set('code', code);
  back.searchParams.set('state', query.get('state') ?? '');
  back.searchParams.set('scope', scopes.join(wire.scopeSeparator));
  return { status: 302, headers: { location: back.href } };
}

function revoke(books: Books, which: string): Answered {
  if (which === 'all') {
    books.access.clear();
    books.refresh.clear();
  }
  // All that came of one grant ends together.
  if (books.access.has(which) || books.refresh.has(which)) revoke(books, 'all');
  return { status: 200, body: {} };
}

function tokenFor(wire: Wire, books: Books, asked: Asked): Answered {
  if (!knowsClient(wire, asked)) return wire.tokenRefused('client');
  const { form } = asked;
  const scopes =
    form.get('grant_type') === 'refresh_token' ? refreshed(books, form) : redeemed(wire, books, form);
  if (!scopes) return wire.tokenRefused('grant');
  const issued = { accessToken: newToken('at'), refreshToken: newToken('rt'), scopes };
  books.access.set(issued.accessToken, scopes);
  books.refresh.set(issued.refreshToken, scopes);
  return { body: wire.tokenAnswer(issued) };
}

const newToken = (kind: string) => `${kind}-${randomBytes(16).toString('hex')}`;

function knowsClient(wire: Wire, { headers, form }: Asked): boolean {
  if (wire.clientAuth === 'post') {
    return form.get('client_id') === CLIENT.clientId && form.get('client_secret') === CLIENT.clientSecret;
  }
  return isClient(headers['authorization']);
}

/** As RFC 6749 has it, each part is encoded as in a form before both are put together. */
export function isClient(authorization: string | undefined): boolean {
  const text = Buffer.from((authorization ?? '').replace(/^Basic /, ''), 'base64').toString('utf8');
  const [id = '', secret = ''] = text
    .split(':')
    .map((part) => new URLSearchParams(`x=${part}`).get('x') ?? '');
  if (id === CLIENT.clientId && secret === CLIENT.clientSecret) return true;
  return text === `${CLIENT.clientId}:${CLIENT.clientSecret}`;
}

/** A refresh token is of use once. */
function refreshed({ refresh }: Books, form: URLSearchParams): readonly string[] | undefined {
  const token = form.get('refresh_token') ?? '';
  const scopes = refresh.get(token);
  refresh.delete(token);
  return scopes;
}

function redeemed({ pkce }: Wire, { codes }: Books, form: URLSearchParams): readonly string[] | undefined {
  const code = codes.get(form.get('code') ?? '');
  codes.delete(form.get('code') ?? '');
  if (!code || code.redirectUri !== form.get('redirect_uri')) return undefined;
  const verifier = form.get('code_verifier') ?? '';
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return pkce && challenge !== code.challenge ? undefined : code.scopes;
}

/** Numbers become absurd and texts unreadable; only what says that all is well stays. */
function written(body: unknown, mood: Mood): string {
  if (mood !== 'odd') return JSON.stringify(body);
  return JSON.stringify(body, (key, value: unknown) => {
    if (key === 'status') return value;
    return typeof value === 'number' ? -1e300 : typeof value === 'string' ? '?' : value;
  });
}

function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const part = Buffer.alloc(1024 * 1024, ' ');
  const more = () => {
    if (!response.destroyed) response.write(part, () => setImmediate(more));
  };
  more();
}

async function readAsked(request: IncomingMessage): Promise<Asked> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  const text = Buffer.concat(parts).toString('utf8');
  const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://stand.in');
  const isJson = request.headers['content-type']?.startsWith('application/json') ?? false;
  return {
    method: request.method ?? 'GET',
    path,
    query,
    form: new URLSearchParams(isJson ? '' : text),
    json: isJson ? JSON.parse(text) : {},
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([key, value]) => [key, Array.isArray(value) ? value[0] : value]),
    ),
  };
}

const DAY = 86_400_000;

/** The days from one to another, both of them. */
export function daysFrom(first: string | null, last: string | null): string[] {
  const [from, to] = [Date.parse(`${first}T00:00:00Z`), Date.parse(`${last}T00:00:00Z`)];
  const count = Math.round((to - from) / DAY) + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, n) =>
    new Date(from + n * DAY).toISOString().slice(0, 10),
  );
}

export const dayBefore = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - DAY).toISOString().slice(0, 10);

/** The number of a day: what is told of it follows from it, and is the same whenever it is asked for. */
export const numberOf = (day: string): number => Math.round(Date.parse(`${day}T00:00:00Z`) / DAY);
/** Since 1970, in milliseconds. */
export const utc = (day: string, time: string): number => Date.parse(`${day}T${time}Z`);
