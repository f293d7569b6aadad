import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * The common part of all provider stand-ins: they issue, exchange and refresh tokens as their provider does, check
 * access tokens, and can be made to misbehave. Each provider's responses are in its own file.
 */

export const CLIENT = { clientId: 'client 1:a', clientSecret: 'secret/of+it:%' };
export const REDIRECT_URI = 'https://aliquot.example.com/v2/link/callback/x';

export interface StandInRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly json: Record<string, unknown>;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface StandInResponse {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly scopes: readonly string[];
}

/** The specifics of one provider. */
export interface WireProtocol {
  readonly slug: string;
  readonly user: string;
  readonly authorize: string;
  readonly token: string;
  readonly clientAuth: 'basic' | 'post';
  readonly pkce: boolean;
  readonly scopeSeparator: string;
  /** For a revocation request: the token to revoke, or all; undefined for other requests. */
  readonly revoke?: (asked: StandInRequest) => string | 'all' | undefined;
  /** A refresh token is good for many uses. */
  readonly keepsRefreshToken?: boolean;
  /** `{}` is a list without items, rather than a response that cannot be read. */
  readonly hasEmptyLists?: boolean;
  readonly tokenAnswer: (issued: IssuedTokens) => unknown;
  readonly tokenRefused: (why: 'client' | 'grant') => StandInResponse;
  readonly accessRefused: StandInResponse;
  readonly busy: StandInResponse;
  /** The scope that a request needs, if any. */
  readonly scopeOf: (asked: StandInRequest) => string | undefined;
  readonly scopeRefused?: StandInResponse;
  /** Requests of the application, without a user's token. */
  readonly answerApplication?: (asked: StandInRequest, standIn: StandIn) => StandInResponse | undefined;
  readonly answerUser: (asked: StandInRequest, standIn: StandIn) => StandInResponse | undefined;
}

/** `hollow` answers `{}`, `odd` the right fields with invalid values. */
type StandInBehavior =
  'well' | 'busy' | 'garbage' | 'hollow' | 'odd' | 'down' | 'elsewhere' | 'silent' | 'endless';

export interface StandIn {
  readonly protocol: WireProtocol;
  readonly url: string;
  /** Every request, such as `GET /1/user/-/profile.json`. */
  readonly calls: string[];
  /** Webhook subscriptions, by their identity. */
  readonly subscriptions: Map<string, Record<string, unknown>>;
  readonly flags: Set<string>;
  behavior: StandInBehavior;
  /** Redirect target of the behavior `elsewhere`. */
  redirectTarget: string;
  /** Expires all access tokens; they can be refreshed. */
  expireAccessTokens(): void;
  /** Revokes all grants, as a user does at the provider. */
  revokeGrants(): void;
  close(): Promise<void>;
}

interface AuthorizationCode {
  readonly challenge: string | null;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
}

interface TokenStore {
  readonly codes: Map<string, AuthorizationCode>;
  readonly access: Map<string, readonly string[]>;
  readonly refresh: Map<string, readonly string[]>;
}

export async function openStandIn(wire: WireProtocol): Promise<StandIn> {
  const books: TokenStore = { codes: new Map(), access: new Map(), refresh: new Map() };
  const server = createServer((request, response) => {
    const answer = (asked: StandInRequest) => {
      standIn.calls.push(`${asked.method} ${asked.path}`);
      if (standIn.behavior === 'silent') return;
      if (standIn.behavior === 'endless') return streamForever(response);
      const { status = 200, body, headers } = routeRequest(standIn, books, asked);
      const text =
        typeof body === 'string' ? body : body === undefined ? '' : serializeBody(body, standIn.behavior);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    };
    // A caller that disconnects during its request, as a closing service does, gets no response.
    void parseRequest(request).then(answer, () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const standIn: StandIn = {
    protocol: wire,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    subscriptions: new Map(),
    flags: new Set(),
    behavior: 'well',
    redirectTarget: '',
    expireAccessTokens: () => books.access.clear(),
    revokeGrants: () => {
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

function routeRequest(standIn: StandIn, books: TokenStore, asked: StandInRequest): StandInResponse {
  const { protocol, behavior } = standIn;
  if (behavior === 'busy') return protocol.busy;
  if (behavior === 'garbage') return { body: '<html>We are improving our service' };
  if (behavior === 'hollow') return { body: {} };
  if (behavior === 'down') return { status: 500, body: { error: 'oops' } };
  if (behavior === 'elsewhere')
    return { status: 302, headers: { location: `${standIn.redirectTarget}${asked.path}` } };
  if (asked.path === protocol.authorize && asked.method === 'GET') return authorize(protocol, books, asked);
  const revoked = protocol.revoke?.(asked);
  if (revoked !== undefined) return revoke(books, revoked);
  const ofApplication = protocol.answerApplication?.(asked, standIn);
  if (ofApplication) return ofApplication;
  if (asked.path === protocol.token && asked.method === 'POST') return issueTokens(protocol, books, asked);
  const token = asked.headers['authorization']?.replace(/^Bearer /, '') ?? '';
  const scopes = books.access.get(token);
  if (!scopes) return protocol.accessRefused;
  const wanted = protocol.scopeOf(asked);
  if (wanted !== undefined && !scopes.includes(wanted)) {
    return protocol.scopeRefused ?? { status: 403, body: { message: 'Forbidden' } };
  }
  return protocol.answerUser(asked, standIn) ?? { status: 404, body: { message: 'Not found' } };
}

/** The user grants everything at once. */
function authorize(wire: WireProtocol, books: TokenStore, { query }: StandInRequest): StandInResponse {
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

function revoke(books: TokenStore, which: string): StandInResponse {
  if (which === 'all') {
    books.access.clear();
    books.refresh.clear();
  }
  // All tokens of one grant are revoked together.
  if (books.access.has(which) || books.refresh.has(which)) revoke(books, 'all');
  return { status: 200, body: {} };
}

function issueTokens(wire: WireProtocol, books: TokenStore, asked: StandInRequest): StandInResponse {
  if (!isKnownClient(wire, asked)) return wire.tokenRefused('client');
  const { form } = asked;
  const scopes =
    form.get('grant_type') === 'refresh_token'
      ? consumeRefreshToken(books, form)
      : consumeCode(wire, books, form);
  if (!scopes) return wire.tokenRefused('grant');
  const kept = wire.keepsRefreshToken ? form.get('refresh_token') : null;
  const issued = { accessToken: newToken('at'), refreshToken: kept ?? newToken('rt'), scopes };
  books.access.set(issued.accessToken, scopes);
  books.refresh.set(issued.refreshToken, scopes);
  return { body: wire.tokenAnswer(issued) };
}

const newToken = (kind: string) => `${kind}-${randomBytes(16).toString('hex')}`;

function isKnownClient(wire: WireProtocol, { headers, form }: StandInRequest): boolean {
  if (wire.clientAuth === 'post') {
    return form.get('client_id') === CLIENT.clientId && form.get('client_secret') === CLIENT.clientSecret;
  }
  return isClientAuthorization(headers['authorization']);
}

/** RFC 6749: both parts are form-encoded before they are joined; the plain form is accepted too. */
export function isClientAuthorization(authorization: string | undefined): boolean {
  const text = Buffer.from((authorization ?? '').replace(/^Basic /, ''), 'base64').toString('utf8');
  const [id = '', secret = ''] = text
    .split(':')
    .map((part) => new URLSearchParams(`x=${part}`).get('x') ?? '');
  if (id === CLIENT.clientId && secret === CLIENT.clientSecret) return true;
  return text === `${CLIENT.clientId}:${CLIENT.clientSecret}`;
}

/** A refresh token can be used once. */
function consumeRefreshToken({ refresh }: TokenStore, form: URLSearchParams): readonly string[] | undefined {
  const token = form.get('refresh_token') ?? '';
  const scopes = refresh.get(token);
  refresh.delete(token);
  return scopes;
}

function consumeCode(
  { pkce }: WireProtocol,
  { codes }: TokenStore,
  form: URLSearchParams,
): readonly string[] | undefined {
  const code = codes.get(form.get('code') ?? '');
  codes.delete(form.get('code') ?? '');
  if (!code || code.redirectUri !== form.get('redirect_uri')) return undefined;
  const verifier = form.get('code_verifier') ?? '';
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return pkce && challenge !== code.challenge ? undefined : code.scopes;
}

/** For `odd`: replaces numbers and texts by invalid values, except `status`. */
function serializeBody(body: unknown, mood: StandInBehavior): string {
  if (mood !== 'odd') return JSON.stringify(body);
  return JSON.stringify(body, (key, value: unknown) => {
    if (key === 'status') return value;
    return typeof value === 'number' ? -1e300 : typeof value === 'string' ? '?' : value;
  });
}

function streamForever(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const part = Buffer.alloc(1024 * 1024, ' ');
  const more = () => {
    if (!response.destroyed) response.write(part, () => setImmediate(more));
  };
  more();
}

async function parseRequest(request: IncomingMessage): Promise<StandInRequest> {
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

/** All days from `first` to `last`, inclusive. */
export function daysFrom(first: string | null, last: string | null): string[] {
  const [from, to] = [Date.parse(`${first}T00:00:00Z`), Date.parse(`${last}T00:00:00Z`)];
  const count = Math.round((to - from) / DAY) + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, n) =>
    new Date(from + n * DAY).toISOString().slice(0, 10),
  );
}

export const dayBefore = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - DAY).toISOString().slice(0, 10);

/** Days since 1970. Generated values depend on it, so that repeated requests return the same data. */
export const dayNumber = (day: string): number => Math.round(Date.parse(`${day}T00:00:00Z`) / DAY);
/** Milliseconds since 1970. */
export const utcMillis = (day: string, time: string): number => Date.parse(`${day}T${time}Z`);
