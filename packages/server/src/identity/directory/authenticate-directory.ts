import type { App } from '../../app.ts';
import {
  createFailedAuthenticationLimiter,
  type FailedAuthenticationLimiter,
} from '../management/management.ts';
import type { RequestHeaders } from '../../platform/http/serve-open.ts';
import { findDirectory, type DirectoryPrincipal } from './tokens.ts';

const BEARER = /^Bearer ([\w-]{1,100})$/i;

/**
 * Authenticates a directory by its token, from the headers alone. No other credential counts: not a key, not a session.
 * 401 for anything else, 429 for an address with too many wrong tokens.
 */
export function createDirectoryAuthenticator(
  app: App,
): (request: { headers: RequestHeaders; address: string }) => Promise<DirectoryPrincipal> {
  const failures: FailedAuthenticationLimiter = createFailedAuthenticationLimiter(
    app.clock,
    'directory token',
  );
  return async ({ headers, address }) => {
    const [, token] = BEARER.exec(headers['authorization']?.toString() ?? '') ?? [];
    const found = token === undefined ? undefined : await findDirectory(app, token);
    if (!found) throw failures.recordFailure(address);
    return found;
  };
}
