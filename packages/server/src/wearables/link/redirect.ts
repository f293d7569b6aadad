import { z } from 'zod';
import type { LinkError } from '../connections/connect.ts';
import type { LinkTokenRow } from './store.ts';

/** Schemes that run code in the browser or access local content instead of navigating. */
// prettier-ignore
const FORBIDDEN_SCHEMES = new Set([
  'javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:', 'view-source:', 'filesystem:', 'ws:', 'wss:', 'ftp:',
]);

/** The redirect URL: a web page, or an app with its own scheme. */
export const RedirectUrl = z
  .string()
  .max(2083)
  .refine(isRedirectUrl, 'expected a URL such as https://app.example.com/done or myapp://done');

function isRedirectUrl(text: string): boolean {
  if (!URL.canParse(text) || /[\s\p{Cc}]/u.test(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return (
    !FORBIDDEN_SCHEMES.has(protocol) && username === '' && password === '' && (!isWeb || hostname !== '')
  );
}

/** The redirect URL with the outcome in its query; null if the token has no redirect URL. */
export function buildRedirectUrl(
  { redirect_url: base }: Pick<LinkTokenRow, 'redirect_url'>,
  { provider, refused }: { provider: string | undefined; refused: LinkError | undefined },
): string | null {
  if (base === null) return null;
  const url = new URL(base);
  url.searchParams.set('state', refused ? 'error' : 'success');
  if (provider !== undefined) url.searchParams.set('provider', provider);
  if (refused) {
    url.searchParams.set('error_type', refused.errorType);
    url.searchParams.set('error', refused.message);
  }
  return url.href;
}
