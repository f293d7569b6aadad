import { digestToken } from '../../platform/crypto/secret-token.ts';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import {
  GrantLostError,
  type Grant,
  type ProviderApplication,
  type WearableProvider,
} from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { revokeTokens } from '../../identity/management/management.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { findScopeRequirements } from '../../provider-settings/provider-settings.ts';
import { findUser, type User } from '../../users/users/users.ts';
import { findApplication } from '../connections/application.ts';
import { beginPulling, connect, LinkError, assertRequiredScopes } from '../connections/connect.ts';
import { subscribe } from '../connections/subscribe.ts';
import { isProviderAllowed } from './choices.ts';
import * as store from './store.ts';
import { createSignedToken, verifySignedToken } from './signed-tokens.ts';
import { isRevoked, requireToken, type LinkToken } from './token.ts';

const PLACE = 'link_attempt.private';
/** How long a user may take at the provider. */
const ATTEMPT_LIFETIME_MS = 30 * MINUTE;
const ATTEMPTS_MAX = 50;

/** A user is about to be sent to a provider. */
interface LinkAttemptInput {
  readonly provider: string;
  /** Binds the attempt to a browser by a cookie, if it began on our own page. The callback must present it. */
  readonly browser?: string;
  /** The user's region, for a provider with a host per region. */
  readonly region?: string | undefined;
}

/** The encrypted part of an attempt: the PKCE verifier alone if no region was named. */
const AttemptSecrets = z.object({ verifier: z.string(), region: z.string() });

const sealAttempt = (work: Work, verifier: string, region: string | undefined): Buffer =>
  work.cipher.seal(region === undefined ? verifier : JSON.stringify({ verifier, region }), PLACE);

function openAttempt(work: Work, sealed: Buffer): { verifier: string; region: string | undefined } {
  const text = work.cipher.open(sealed, PLACE);
  return text.startsWith('{')
    ? AttemptSecrets.parse(JSON.parse(text))
    : { verifier: text, region: undefined };
}

/** Begins an OAuth attempt (state and PKCE) and returns the authorization URL. Throws LinkError if not possible. */
export async function beginAttempt(
  app: App,
  { tenant, row }: LinkToken,
  { provider, browser, region }: LinkAttemptInput,
): Promise<URL> {
  const body = app.wearableProviders.find(provider);
  const state = createSignedToken(app, 'link_state', tenant);
  const verifier = randomBytes(32).toString('base64url');
  const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
  return inTenant(app, tenant, async (work) => {
    await requireToken(work, row.digest);
    const application = body && (await findApplication(work, app, provider));
    if (!body || !application || !isProviderAllowed({ row }, provider)) {
      throw new LinkError('provider_credential_error', `${provider} cannot be connected with this link`);
    }
    if (region !== undefined && !body.isRegionSupported(region))
      throw new LinkError('unsupported_region', `${provider} has no region ${region}`);
    if ((await store.countAttempts(work, row.digest)) >= ATTEMPTS_MAX) {
      throw new LinkError('token_not_validated', 'Too many attempts with this link token');
    }
    await store.insertAttempt(work, {
      digest: state.digest,
      token_digest: row.digest,
      provider,
      private: sealAttempt(work, verifier, region),
      browser: browser === undefined ? null : digestToken(browser),
      expires_at: later(work.now, ATTEMPT_LIFETIME_MS),
    });
    const scopes = await listRequestedScopes(work, body);
    return body.buildAuthorizationUrl({
      app: application,
      state: state.word,
      scopes,
      codeChallenge,
      region,
    });
  });
}

/** The scopes that the team configured; by default all that the resources need. */
async function listRequestedScopes(work: Work, body: WearableProvider): Promise<string[]> {
  const wanted = await findScopeRequirements(work, body.slug);
  if (wanted) return [...new Set([...wanted.mustGrant, ...wanted.mayGrant])];
  return [...new Set(body.resources.flatMap((resource) => body.scopesOf(resource)))];
}

/** The parameters of a provider's callback. */
interface LinkCallback {
  readonly provider: string;
  readonly state: string;
  readonly code: string | undefined;
  /** The provider's error code, if there is no authorization code. */
  readonly error: string | undefined;
  readonly scope: string | undefined;
  readonly browser: string | undefined;
}

/** The link token of an attempt, and its outcome. */
interface LinkAttemptResult {
  readonly row: store.LinkTokenRow;
  readonly refused: LinkError | undefined;
}

interface ClaimedLinkAttempt {
  readonly tenant: Tenant;
  readonly row: store.LinkTokenRow;
  readonly verifier: string;
  readonly region: string | undefined;
  readonly application: ProviderApplication;
  readonly body: WearableProvider;
}

/**
 * Completes an attempt when the user returns from a provider: redeems the code and connects the user. Each attempt can
 * be completed once. Throws LinkError if the attempt is unknown.
 */
export async function completeAttempt(app: App, back: LinkCallback): Promise<LinkAttemptResult> {
  const ticket = verifySignedToken(app, 'link_state', back.state);
  if (!ticket) throw new LinkError('invalid_token', 'Unknown or invalid state parameter');
  const { tenant } = ticket;
  const taken = await inTenant(app, tenant, (work) =>
    claimAttempt(work, app, { digest: ticket.digest, back }),
  );
  if ('refused' in taken) return taken;
  const attempt = { ...taken, tenant };
  try {
    await redeemAndConnect(app, attempt, back);
    return { row: taken.row, refused: undefined };
  } catch (error) {
    return { row: taken.row, refused: toLinkError(app, error) };
  }
}

async function claimAttempt(
  work: Work,
  { config, wearableProviders: providers }: App,
  { digest, back }: { digest: Buffer; back: LinkCallback },
): Promise<Omit<ClaimedLinkAttempt, 'tenant'> | { row: store.LinkTokenRow; refused: LinkError }> {
  const attempt = await store.consumeAttempt(work, digest);
  const row = attempt && (await store.findToken(work, attempt.token_digest));
  if (!attempt || !row) throw new LinkError('token_consumed', 'This attempt was completed already');
  if (attempt.provider !== back.provider) {
    throw new LinkError('invalid_token', 'The state parameter belongs to another provider');
  }
  const refuse = (type: LinkError['errorType'], message: string) => ({
    row,
    refused: new LinkError(type, message),
  });
  if (attempt.browser && !isSameBrowser(attempt.browser, back.browser)) {
    // A different browser must not learn the redirect URL of the team.
    throw new LinkError(
      'token_not_validated',
      'This was started in another browser; start again in this one',
    );
  }
  if (attempt.expires_at <= work.now) return refuse('token_expired', 'This took too long; start again');
  if (row.used_at) return refuse('token_consumed', 'The link token was used already');
  if (await isRevoked(work, row)) return refuse('invalid_token', 'The link is no longer valid');
  if (back.code === undefined) {
    return back.error === 'access_denied'
      ? refuse('user_cancelled', 'The user did not grant access')
      : refuse('provider_api_error', `The provider answered ${back.error?.slice(0, 100) ?? 'nothing'}`);
  }
  const body = providers.find(back.provider);
  const application = await findApplication(work, { config, wearableProviders: providers }, back.provider);
  if (!body || !application) return refuse('provider_credential_error', 'The provider is not configured');
  return { row, ...openAttempt(work, attempt.private), application, body };
}

const isSameBrowser = (digest: Buffer, browser: string | undefined): boolean =>
  browser !== undefined && timingSafeEqual(digest, digestToken(browser));

async function redeemAndConnect(
  app: App,
  attempt: ClaimedLinkAttempt,
  { code, scope }: LinkCallback,
): Promise<void> {
  const { tenant, application, body, verifier, region } = attempt;
  const grant = await body.exchangeCode({
    app: application,
    code: code ?? '',
    codeVerifier: verifier,
    region,
    ...(scope !== undefined && { scope }),
  });
  try {
    await inTenant(app, tenant, (work) => connectGranted(work, attempt, grant));
  } catch (error) {
    // Revoke a grant that is not stored. Not for a duplicate account: that might revoke the other connection's grant.
    if (!(error instanceof LinkError) || error.errorType !== 'required_scopes_not_granted') throw error;
    await body.revoke(application, grant).catch((failed: unknown) => {
      app.log.info({ provider: body.slug, err: failed }, 'revoking a rejected grant failed');
    });
    throw error;
  }
}

async function connectGranted(work: Work, { row, body }: ClaimedLinkAttempt, grant: Grant): Promise<void> {
  const user = await consumeToken(work, row);
  const { slug: provider, resources } = body;
  await assertRequiredScopes(work, provider, grant);
  const connection = await connect(work, { user, provider, kind: 'oauth', grant, resources, body });
  await beginPulling(work, { connection, user, body });
  if (body.news.kind === 'webhook') await enqueue(work, subscribe, { connection_id: connection.id });
}

/** Marks the token as used, or throws. Its expiry applies to new attempts, not to those in progress. */
export async function consumeToken(work: Work, row: store.LinkTokenRow): Promise<User> {
  if (!(await store.markTokenUsed(work, row.digest))) {
    throw new LinkError('token_consumed', 'The link token was used already');
  }
  // It may have been revoked while the user was at the provider.
  if (row.token_id === null || (await isRevoked(work, row)))
    throw new LinkError('invalid_token', 'The link is no longer valid');
  await revokeTokens(work, { id: row.token_id });
  const user = await findUser(work, row.user_id);
  if (!user) throw new LinkError('invalid_token', 'The user no longer exists');
  return user;
}

function toLinkError(app: App, error: unknown): LinkError {
  if (error instanceof LinkError) return error;
  if (error instanceof GrantLostError) {
    const isOurs = error.fault === 'provider_credential_error';
    return new LinkError(isOurs ? 'provider_credential_error' : 'provider_api_error', error.message);
  }
  app.log.warn({ err: error }, 'redeeming an authorization code failed');
  return new LinkError('provider_api_error', 'The provider returned an unexpected response; try again');
}
