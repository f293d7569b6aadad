import { createHmac, timingSafeEqual } from 'node:crypto';
import type { App } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import { isServedByHttps, publicPrefix } from '../../platform/public-url.ts';
import type { RequestHeaders } from '../../platform/http/serve-open.ts';

/** The header in which unsafe requests repeat the CSRF token of their session. */
const CSRF_HEADER = 'x-csrf-token';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

const isSecure = ({ config }: App): boolean => isServedByHttps(config);

/**
 * With https, the `__Host-` prefix binds the cookie to this host: no subdomain can set it, and it is never sent in
 * clear. It needs `Path=/`: below a path prefix `__Secure-` stands for it, so that the other programs of the host do not
 * get the cookie. The brand keeps deployments on one host apart, because cookies do not know ports.
 */
const cookieName = (app: App, kind: CookieKind): string => {
  const binding = publicPrefix(app.config) === '' ? '__Host-' : '__Secure-';
  return `${isSecure(app) ? binding : ''}${app.config.BRAND}-${kind}`;
};

/**
 * `sign-in`: the member has shown one factor, and must show another. `passkey`: a challenge is bound to the browser.
 * `single-sign-on`: the browser was sent to an identity provider.
 */
type CookieKind = 'session' | 'sign-in' | 'passkey' | 'single-sign-on';

/**
 * `SameSite=Strict`: no request that another site causes carries it. It has no Max-Age, so it ends with the browser;
 * the server decides when the session ends.
 */
export const secretCookie = (app: App, kind: CookieKind, token: string): string =>
  `${cookieName(app, kind)}=${token}; Path=${publicPrefix(app.config) || '/'}; HttpOnly; SameSite=Strict${
    isSecure(app) ? '; Secure' : ''
  }`;

export const expiredCookie = (app: App, kind: CookieKind): string =>
  `${secretCookie(app, kind, '')}; Max-Age=0`;

/** `SameSite=Lax`: the redirect of another site brings it back. It therefore permits nothing alone. */
export const returningCookie = (
  app: App,
  kind: CookieKind,
  { token, maxAgeSeconds }: { readonly token: string; readonly maxAgeSeconds: number },
): string =>
  `${secretCookie(app, kind, token).replace('SameSite=Strict', 'SameSite=Lax')}; Max-Age=${maxAgeSeconds}`;

/** The token of a request's cookie, if it has one. */
export const readCookieToken = (app: App, kind: CookieKind, headers: RequestHeaders): string | undefined =>
  readCookie(headers, cookieName(app, kind));

function readCookie({ cookie }: RequestHeaders, name: string): string | undefined {
  if (typeof cookie !== 'string') return undefined;
  const found = cookie
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1) || undefined;
}

/** Derived from the session's token, so it ends with it and nothing has to be stored. */
export const csrfTokenOf = ({ keyring }: App, token: string): string =>
  createHmac('sha256', keyring.derive('session-csrf')).update(token).digest('base64url');

/** Throws a 403 for an unsafe request that another site may have caused. */
export function requireSameOrigin(
  app: App,
  { headers, method }: { headers: RequestHeaders; method: string },
) {
  if (SAFE_METHODS.has(method)) return;
  const site = headers['sec-fetch-site'];
  const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (isForeign || !isOwnOrigin(app, headers)) {
    throw new DomainError('forbidden', 'This request was caused by another site: send it from this one');
  }
}

/** Programs send no Origin; browsers send one with every unsafe request. */
function isOwnOrigin({ config }: App, { origin, host }: RequestHeaders): boolean {
  if (origin === undefined) return true;
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false;
  return config.PUBLIC_URL === undefined
    ? new URL(origin).host === host
    : new URL(origin).origin === new URL(config.PUBLIC_URL).origin;
}

interface SessionRequest {
  readonly headers: RequestHeaders;
  readonly method: string;
}

/** Throws a 403 for an unsafe request of a session without its CSRF token, or that another site may have caused. */
export function requireCsrfToken(app: App, { headers, method }: SessionRequest, token: string): void {
  if (SAFE_METHODS.has(method)) return;
  requireSameOrigin(app, { headers, method });
  const given = headers[CSRF_HEADER];
  const expected = Buffer.from(csrfTokenOf(app, token));
  const bytes = Buffer.from(typeof given === 'string' ? given : '');
  if (bytes.length === expected.length && timingSafeEqual(bytes, expected)) return;
  throw new DomainError('forbidden', `Send the csrf_token of the session as ${CSRF_HEADER}`);
}
