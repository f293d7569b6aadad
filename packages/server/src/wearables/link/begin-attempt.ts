import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { ProviderApplication, WearableProvider } from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import type { PageLanguage } from '../../hosted/hosted.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import { digestToken } from '../../platform/crypto/secret-token.ts';
import { publicUrl } from '../../platform/public-url.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { findScopeRequirements } from '../../provider-settings/provider-settings.ts';
import { findApplication, notConfigured } from '../connections/application.ts';
import { LinkError } from '../connections/connect.ts';
import { isProviderAllowed } from './choices.ts';
import { createSignedToken, verifySignedToken } from './signed-tokens.ts';
import * as store from './store.ts';
import { requireToken, type LinkToken } from './token.ts';

const PLACE = 'link_attempt.private';
/** How long a user may take at the provider. */
export const ATTEMPT_LIFETIME_MS = 30 * MINUTE;
const ATTEMPTS_MAX = 50;

export const AUTHORIZE_PATH = '/v2/link/authorize';

/** The URL that opens an attempt in the browser of a user. */
export const authorizeUrl = ({ config }: Pick<App, 'config'>, state: string): string =>
  publicUrl(config, `${AUTHORIZE_PATH}?state=${state}`);

/** The encrypted part of an attempt: the PKCE verifier alone if no region was named. */
const AttemptSecrets = z.object({ verifier: z.string(), region: z.string() });

interface OpenedSecrets {
  readonly verifier: string;
  readonly region: string | undefined;
}

const sealAttemptSecrets = (work: Work, { verifier, region }: OpenedSecrets): Buffer =>
  work.cipher.seal(region === undefined ? verifier : JSON.stringify({ verifier, region }), PLACE);

export function openAttemptSecrets(work: Work, sealed: Buffer): OpenedSecrets {
  const text = work.cipher.open(sealed, PLACE);
  return text.startsWith('{')
    ? AttemptSecrets.parse(JSON.parse(text))
    : { verifier: text, region: undefined };
}

/** An attempt that no browser has opened yet belongs to none. */
export const isSameBrowser = (
  { browser: digest }: { readonly browser: Buffer | null },
  browser: string | undefined,
): boolean => digest !== null && browser !== undefined && timingSafeEqual(digest, digestToken(browser));

interface LinkAttemptInput {
  readonly provider: string;
  /** The user's region, for a provider with a host per region. */
  readonly region?: string | undefined;
  /** Of the page where the user began. The state carries it, so that the page after the provider has it too. */
  readonly language?: PageLanguage | undefined;
}

/**
 * Begins an OAuth attempt (state and PKCE) and returns its state. It belongs to the first browser that opens it with
 * `openAttempt`. Throws LinkError if not possible.
 */
export async function beginAttempt(
  app: App,
  { tenant, row }: LinkToken,
  { provider, region, language }: LinkAttemptInput,
): Promise<string> {
  const state = createSignedToken(app, 'link_state', { tenant, language });
  const verifier = randomBytes(32).toString('base64url');
  await inTenant(app, tenant, async (work) => {
    await requireToken(work, row.digest);
    const { body } = await requireApplication(work, app, { row, provider });
    if (region !== undefined && !body.isRegionSupported(region))
      throw new LinkError('unsupported_region', `${provider} has no region ${region}`);
    if ((await store.countAttempts(work, row.digest)) >= ATTEMPTS_MAX)
      throw new LinkError('token_not_validated', 'Too many attempts with this link token');
    await store.insertAttempt(work, {
      digest: state.digest,
      token_digest: row.digest,
      provider,
      private: sealAttemptSecrets(work, { verifier, region }),
      browser: null,
      expires_at: later(work.now, ATTEMPT_LIFETIME_MS),
    });
  });
  return state.word;
}

interface AttemptVisit {
  readonly state: string;
  /** The secret in the cookie of the browser, if it opened the attempt before. */
  readonly browser: string | undefined;
}

/** Where the browser goes next, and the secret for its cookie. */
interface OpenedAttempt {
  readonly provider: string;
  readonly authorizationUrl: string;
  readonly browser: string;
}

/**
 * Opens an attempt in a browser: the first one is the only one that may complete it, and may open it again. Throws
 * LinkError if the attempt belongs to another browser or has ended.
 */
export async function openAttempt(app: App, visit: AttemptVisit): Promise<OpenedAttempt> {
  const ticket = verifySignedToken(app, 'link_state', visit.state);
  if (!ticket) throw new LinkError('invalid_token', 'Unknown or invalid state parameter');
  return inTenant(app, ticket.tenant, async (work) => {
    const attempt = await store.lockAttempt(work, ticket.digest);
    if (!attempt) throw new LinkError('token_consumed', 'This attempt was completed already');
    if (attempt.expires_at <= work.now)
      throw new LinkError('token_expired', 'This took too long; start again');
    const { row } = await requireToken(work, attempt.token_digest);
    const browser = await bindBrowser(work, attempt, visit.browser);
    const { provider } = attempt;
    const { body, application } = await requireApplication(work, app, { row, provider });
    const { verifier, region } = openAttemptSecrets(work, attempt.private);
    const url = body.buildAuthorizationUrl({
      app: application,
      state: visit.state,
      scopes: await listRequestedScopes(work, body),
      codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
      region,
    });
    return { provider, authorizationUrl: url.href, browser };
  });
}

/** Returns the secret of the browser. A cookie is never accepted for an attempt that no browser has opened. */
async function bindBrowser(
  work: Work,
  attempt: store.LinkAttemptRow,
  known: string | undefined,
): Promise<string> {
  if (known !== undefined && isSameBrowser(attempt, known)) return known;
  if (attempt.browser)
    throw new LinkError('token_not_validated', 'This was opened in another browser; ask for a new link');
  const browser = randomBytes(24).toString('base64url');
  await store.setAttemptBrowser(work, { digest: attempt.digest, browser: digestToken(browser) });
  return browser;
}

/** The team's application at a provider that the link token allows. */
async function requireApplication(
  work: Work,
  { config, wearableProviders }: App,
  { row, provider }: Pick<LinkToken, 'row'> & { readonly provider: string },
): Promise<{ body: WearableProvider; application: ProviderApplication }> {
  const body = wearableProviders.find(provider);
  const application = body && (await findApplication(work, { config, wearableProviders }, provider));
  const isAllowed = isProviderAllowed({ row }, provider);
  if (body && application && isAllowed) return { body, application };
  const isKnown = body !== undefined && isAllowed;
  const why = isKnown ? notConfigured(provider) : `${provider} cannot be connected with this link`;
  throw new LinkError('provider_credential_error', why);
}

/** The scopes that the team configured; by default all that the resources need. */
async function listRequestedScopes(work: Work, body: WearableProvider): Promise<string[]> {
  const wanted = await findScopeRequirements(work, body.slug);
  if (wanted) return [...new Set([...wanted.mustGrant, ...wanted.mayGrant])];
  return [...new Set(body.resources.flatMap((resource) => body.scopesOf(resource)))];
}
