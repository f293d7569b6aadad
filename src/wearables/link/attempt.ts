import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  GrantLost,
  type Grant,
  type ProviderApplication,
  type WearableProvider,
} from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { isTeamThere } from '../../management/management.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { scopeRequirements } from '../../provider-settings/provider-settings.ts';
import { findUser, type User } from '../../users/users.ts';
import { applicationIn } from '../connections/application.ts';
import { beginPulling, connect, LinkRefused, requireScopes } from '../connections/connect.ts';
import { subscribe } from '../connections/subscribe.ts';
import { isChoosable } from './choices.ts';
import * as store from './store.ts';
import { newTicket, digestOf, readTicket } from './tickets.ts';
import { requireToken, type LinkToken } from './token.ts';

const PLACE = 'link_attempt.private';
/** How long somebody may take at the provider. */
const LIFE_MS = 30 * MINUTE;
const ATTEMPTS_MAX = 50;

/** Somebody is about to go to a provider. */
export interface Going {
  readonly provider: string;
  /** What the browser keeps, where it went from our own page: who comes back has to bring it. */
  readonly browser?: string;
}

/** Begins an attempt: answers where the user grants access. Throws LinkRefused where that cannot be. */
export async function beginAttempt(
  app: App,
  { tenant, row }: LinkToken,
  { provider, browser }: Going,
): Promise<URL> {
  const body = app.wearableProviders.find(provider);
  const state = newTicket(app, 'link_state', tenant);
  const verifier = randomBytes(32).toString('base64url');
  const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
  return inTenant(app, tenant, async (work) => {
    await requireToken(work, row.digest);
    const application = body && (await applicationIn(work, app, provider));
    if (!body || !application || !isChoosable({ row }, provider)) {
      throw new LinkRefused('provider_credential_error', `${provider} cannot be connected here`);
    }
    if ((await store.countAttempts(work, row.digest)) >= ATTEMPTS_MAX) {
      throw new LinkRefused('token_not_validated', 'The link token was tried too often');
    }
    await store.insertAttempt(work, {
      digest: state.digest,
      token_digest: row.digest,
      provider,
      private: work.cipher.seal(verifier, PLACE),
      browser: browser === undefined ? null : digestOf(browser),
      expires_at: later(work.now, LIFE_MS),
    });
    const scopes = await scopesFor(work, body);
    return body.grantUrl({ app: application, state: state.word, scopes, codeChallenge });
  });
}

/** What the team wants a user to be asked for; without its word all that the resources need. */
async function scopesFor(work: Work, body: WearableProvider): Promise<string[]> {
  const wanted = await scopeRequirements(work, body.slug);
  if (wanted) return [...new Set([...wanted.mustGrant, ...wanted.mayGrant])];
  return [...new Set(body.resources.flatMap((resource) => body.scopesOf(resource)))];
}

/** What a browser brings back from a provider. */
export interface Returning {
  readonly provider: string;
  readonly state: string;
  readonly code: string | undefined;
  /** Why there is no code, in the provider's word. */
  readonly error: string | undefined;
  readonly scope: string | undefined;
  readonly browser: string | undefined;
}

/** The token that an attempt belonged to, and what came of it. */
export interface Returned {
  readonly row: store.LinkTokenRow;
  readonly refused: LinkRefused | undefined;
}

interface Attempt {
  readonly tenant: Tenant;
  readonly row: store.LinkTokenRow;
  readonly verifier: string;
  readonly application: ProviderApplication;
  readonly body: WearableProvider;
}

/**
 * Somebody came back from a provider: the code becomes a grant, and the grant a connection. An attempt can be ended once.
 * Throws LinkRefused where nobody knows whose it is.
 */
export async function endAttempt(app: App, back: Returning): Promise<Returned> {
  const ticket = readTicket(app, 'link_state', back.state);
  if (!ticket) throw new LinkRefused('invalid_token', 'This is no way back that we know');
  const { tenant } = ticket;
  const taken = await inTenant(app, tenant, (work) =>
    takeAttempt(work, app, { digest: ticket.digest, back }),
  );
  if ('refused' in taken) return taken;
  const attempt = { ...taken, tenant };
  try {
    await redeemAndConnect(app, attempt, back);
    return { row: taken.row, refused: undefined };
  } catch (error) {
    return { row: taken.row, refused: refusalOf(app, error) };
  }
}

async function takeAttempt(
  work: Work,
  { config, wearableProviders: providers }: App,
  { digest, back }: { digest: Buffer; back: Returning },
): Promise<Omit<Attempt, 'tenant'> | { row: store.LinkTokenRow; refused: LinkRefused }> {
  const attempt = await store.takeAttempt(work, digest);
  const row = attempt && (await store.findToken(work, attempt.token_digest));
  if (!attempt || !row) throw new LinkRefused('token_consumed', 'This way back was taken already');
  if (attempt.provider !== back.provider) {
    throw new LinkRefused('invalid_token', 'This is the way back from another provider');
  }
  const refuse = (type: LinkRefused['errorType'], message: string) => ({
    row,
    refused: new LinkRefused(type, message),
  });
  if (attempt.browser && !isSame(attempt.browser, back.browser)) {
    // Somebody else's browser: it is not told where the team's app is.
    throw new LinkRefused('token_not_validated', 'Another browser began this; begin anew in this one');
  }
  if (!(await isTeamThere(work))) return refuse('invalid_token', 'There is nobody any more to connect with');
  if (attempt.expires_at <= work.now) return refuse('token_expired', 'This took too long; begin anew');
  if (row.used_at) return refuse('token_consumed', 'The link token was used already');
  if (back.code === undefined) {
    return back.error === 'access_denied'
      ? refuse('user_cancelled', 'The user did not grant access')
      : refuse('provider_api_error', `The provider answered ${back.error?.slice(0, 100) ?? 'nothing'}`);
  }
  const body = providers.find(back.provider);
  const application = await applicationIn(work, { config, wearableProviders: providers }, back.provider);
  if (!body || !application) return refuse('provider_credential_error', 'There is no application any more');
  return { row, verifier: work.cipher.open(attempt.private, PLACE), application, body };
}

const isSame = (digest: Buffer, browser: string | undefined): boolean =>
  browser !== undefined && timingSafeEqual(digest, digestOf(browser));

async function redeemAndConnect(app: App, attempt: Attempt, { code, scope }: Returning): Promise<void> {
  const { tenant, application, body, verifier } = attempt;
  const grant = await body.redeem({
    app: application,
    code: code ?? '',
    codeVerifier: verifier,
    ...(scope !== undefined && { scope }),
  });
  try {
    await inTenant(app, tenant, (work) => connectGranted(work, attempt, grant));
  } catch (error) {
    // Nobody keeps it, so nobody may have it. Of a double it is let be: taking one back might take the other, too.
    if (!(error instanceof LinkRefused) || error.errorType !== 'required_scopes_not_granted') throw error;
    await body.revoke(application, grant).catch((failed: unknown) => {
      app.log.info({ provider: body.slug, err: failed }, 'a grant that was refused could not be given back');
    });
    throw error;
  }
}

async function connectGranted(work: Work, { row, body }: Attempt, grant: Grant): Promise<void> {
  const user = await requireUnused(work, row);
  const { slug: provider, resources } = body;
  await requireScopes(work, provider, grant);
  const connection = await connect(work, { user, provider, kind: 'oauth', grant, resources, body });
  await beginPulling(work, { connection, user, body });
  if (body.news.kind === 'webhook') await enqueue(work, subscribe, { connection_id: connection.id });
}

/** The hour of the token is over for those who begin, not for those who are on their way. */
export async function requireUnused(work: Work, { digest, user_id }: store.LinkTokenRow): Promise<User> {
  if (!(await store.useToken(work, digest))) {
    throw new LinkRefused('token_consumed', 'The link token was used already');
  }
  const user = await findUser(work, user_id);
  if (!user) throw new LinkRefused('invalid_token', 'The user is gone');
  return user;
}

function refusalOf(app: App, error: unknown): LinkRefused {
  if (error instanceof LinkRefused) return error;
  if (error instanceof GrantLost) {
    const isOurs = error.fault === 'provider_credential_error';
    return new LinkRefused(isOurs ? 'provider_credential_error' : 'provider_api_error', error.message);
  }
  app.log.warn({ err: error }, 'a grant could not be redeemed');
  return new LinkRefused('provider_api_error', 'The provider did not answer as expected; try again');
}
