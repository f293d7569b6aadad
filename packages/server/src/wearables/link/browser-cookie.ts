import { digestToken } from '../../platform/crypto/secret-token.ts';
import type { App } from '../../app.ts';
import { SECOND } from '../../platform/clock.ts';
import type { BrowserRequest } from '../../platform/http/serve-open.ts';
import { isServedByHttps, publicPath } from '../../platform/public-url.ts';
import { ATTEMPT_LIFETIME_MS } from './begin-attempt.ts';

const COOKIE = 'aliquot_link';

/** One cookie per attempt: a user may have several attempts open in different tabs. */
const cookieName = (state: string): string => `${COOKIE}_${digestToken(state).toString('hex').slice(0, 16)}`;

interface AttemptCookie {
  readonly state: string;
  readonly browser: string;
}

/**
 * Binds an attempt to a browser. `SameSite=Lax`: the provider's redirect is a navigation from another site, which brings
 * it back; the cookie permits nothing alone. The path covers the URL that opens an attempt and the callback.
 */
export function createAttemptCookie({ config }: App, { state, browser }: AttemptCookie): string {
  const secure = isServedByHttps(config) ? '; Secure' : '';
  const limits = `Max-Age=${ATTEMPT_LIFETIME_MS / SECOND}; Path=${publicPath(config, '/v2/link')}; HttpOnly; SameSite=Lax`;
  return `${cookieName(state)}=${browser}; ${limits}${secure}`;
}

export function readAttemptCookie({ headers }: BrowserRequest, state: string): string | undefined {
  const begin = `${cookieName(state)}=`;
  const pairs = String(headers['cookie'] ?? '').split(/;\s*/);
  return pairs.find((pair) => pair.startsWith(begin))?.slice(begin.length);
}
