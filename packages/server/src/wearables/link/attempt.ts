import {
  GrantLostError,
  type Grant,
  type ProviderApplication,
  type WearableProvider,
} from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { revokeTokens } from '../../identity/management/management.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { findUser, type User } from '../../users/users/users.ts';
import { findApplication, notConfigured } from '../connections/application.ts';
import { beginPulling, connect, LinkError, assertRequiredScopes } from '../connections/connect.ts';
import { subscribe } from '../connections/subscribe.ts';
import { isSameBrowser, openAttemptSecrets } from './begin-attempt.ts';
import * as store from './store.ts';
import { verifySignedToken } from './signed-tokens.ts';
import { isRevoked } from './token.ts';

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
 * be completed once. Throws LinkError if the attempt is unknown, or the browser is not the one that was sent to the
 * provider; the attempt has ended then, too.
 */
export async function completeAttempt(app: App, back: LinkCallback): Promise<LinkAttemptResult> {
  const ticket = verifySignedToken(app, 'link_state', back.state);
  if (!ticket) throw new LinkError('invalid_token', 'Unknown or invalid state parameter');
  const { tenant } = ticket;
  const taken = await inTenant(app, tenant, (work) =>
    claimAttempt(work, app, { digest: ticket.digest, back }),
  );
  // Thrown after the commit, so that the attempt stays consumed.
  if (taken instanceof LinkError) throw taken;
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
): Promise<Omit<ClaimedLinkAttempt, 'tenant'> | { row: store.LinkTokenRow; refused: LinkError } | LinkError> {
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
  // A different browser must not learn the redirect URL of the team.
  if (!isSameBrowser(attempt, back.browser))
    return new LinkError(
      'token_not_validated',
      'This was started in another browser; start again in this one',
    );
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
  if (!body || !application) {
    return refuse('provider_credential_error', notConfigured(back.provider));
  }
  return { row, ...openAttemptSecrets(work, attempt.private), application, body };
}

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
