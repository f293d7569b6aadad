import { z } from 'zod';
import { listRedirectSchemes } from '../../identity/management/management.ts';
import { invalidField } from '../../platform/errors.ts';
import { appSchemeOf, isWebUrl, LINK_URL_MAX } from '../../platform/link-url.ts';
import type { Work } from '../../platform/work.ts';
import type { LinkError } from '../connections/connect.ts';
import { listEarlierRedirectUrls, type LinkTokenRow } from './store.ts';

/** The redirect URL: a web page, or an app. Whether the team registered the app's scheme is checked when it is used. */
export const RedirectUrl = z
  .string()
  .max(LINK_URL_MAX)
  .refine(
    (text) => isWebUrl(text) || appSchemeOf(text) !== undefined,
    'expected a URL such as https://app.example.com/done or myapp://done; http is allowed for loopback hosts only',
  );

/** 422 for the URL of an app whose scheme the team did not register. */
export async function requireRegisteredScheme(work: Work, redirectUrl: string | null): Promise<void> {
  const scheme = redirectUrl === null || isWebUrl(redirectUrl) ? undefined : appSchemeOf(redirectUrl);
  if (scheme === undefined) return;
  if ((await listRedirectSchemes(work, listEarlierRedirectUrls)).includes(scheme)) return;
  throw invalidField(
    ['body', 'redirect_url'],
    `the scheme ${scheme} is not registered; add it to allowed_redirect_schemes of the team`,
  );
}

/** The redirect URL with the outcome in its query; null if the token has no redirect URL. */
export function buildRedirectUrl(
  { redirect_url: base }: Pick<LinkTokenRow, 'redirect_url'>,
  { provider, refused }: { provider: string | undefined; refused: LinkError | undefined },
): string | null {
  if (base === null) return null;
  const url = new URL(base);
  // A token of an earlier version may have a URL that is no longer accepted.
  if (!/^https?:$/.test(url.protocol) && appSchemeOf(base) === undefined) return null;
  url.searchParams.set('state', refused ? 'error' : 'success');
  if (provider !== undefined) url.searchParams.set('provider', provider);
  if (refused) {
    url.searchParams.set('error_type', refused.errorType);
    url.searchParams.set('error', refused.message);
  }
  return url.href;
}
