import { z } from 'zod';
import type { LinkRefused } from '../connections/connect.ts';
import type { LinkTokenRow } from './store.ts';

/** Schemes that run something in the browser or look into it, instead of leading somewhere. */
// prettier-ignore
const NOWHERE = new Set([
  'javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:', 'view-source:', 'filesystem:', 'ws:', 'wss:', 'ftp:',
]);

/** Where a user is led back to: a page, or the app of the team by a scheme of its own. */
export const RedirectUrl = z
  .string()
  .max(2083)
  .refine(leadsSomewhere, 'expected an address as https://app.example.com/done or myapp://done');

function leadsSomewhere(text: string): boolean {
  if (!URL.canParse(text) || /[\s\p{Cc}]/u.test(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return !NOWHERE.has(protocol) && username === '' && password === '' && (!isWeb || hostname !== '');
}

/** The address with what came of it; null where the team gave none. */
export function redirectAfter(
  { redirect_url: base }: Pick<LinkTokenRow, 'redirect_url'>,
  { provider, refused }: { provider: string | undefined; refused: LinkRefused | undefined },
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
