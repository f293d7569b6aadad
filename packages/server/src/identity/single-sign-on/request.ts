import { createHmac } from 'node:crypto';
import { IdentityProviderError } from '../../adapters/identity-provider/port.ts';
import type { App } from '../../app.ts';
import { later, MINUTE, SECOND } from '../../platform/clock.ts';
import { digestToken, newSecretToken } from '../../platform/crypto/secret-token.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import { returningCookie } from '../accounts/accounts.ts';
import type { SsoConnectionRow } from '../sso-connections/sso-connections.ts';
import { toOidcClient } from './client-secret.ts';
import { connectionUrls } from './connections.ts';
import { insertRequest, takeRequest, type SsoRequestRow } from './request-store.ts';

const LIFE_MS = 10 * MINUTE;
const RETRY_SECONDS = 30;
const KEY = 'single-sign-on';

/** The values that only the browser and this service can compute: nothing of them is stored. */
interface RequestSecrets {
  readonly codeVerifier: string;
  readonly nonce: string;
}

interface RequestTokens {
  readonly state: string;
  /** In the cookie. */
  readonly browserToken: string;
}

export function deriveSecrets({ keyring }: App, { state, browserToken }: RequestTokens): RequestSecrets {
  const derive = (purpose: string) =>
    createHmac('sha256', keyring.derive(KEY))
      .update(JSON.stringify([purpose, state, browserToken]))
      .digest('base64url');
  return { codeVerifier: derive('code-verifier'), nonce: derive('nonce') };
}

interface SsoStart {
  readonly connection: SsoConnectionRow;
  /** The session whose member authenticates again. */
  readonly session: { readonly memberId: string; readonly sessionId: string } | undefined;
  readonly loginHint: string | undefined;
  readonly returnTo: string | undefined;
}

export interface StartedSso {
  readonly authorizationUrl: string;
  readonly expiresAt: Date;
  /** The value of a `Set-Cookie` header: only this browser can come back. */
  readonly cookie: string;
}

/** Sends a browser to the identity provider of a connection. 503 where it cannot be reached or used. */
export async function startRequest(
  app: App,
  { connection, session, loginHint, returnTo }: SsoStart,
): Promise<StartedSso> {
  const tokens = { state: newSecretToken(), browserToken: newSecretToken() };
  const client = await asSystem(app.db, (tx) => toOidcClient(app, tx, connection));
  const url = await app.identityProviders
    .buildAuthorizationUrl({
      client,
      redirectUri: connectionUrls(app, connection.org_id, connection.id).redirectUri,
      state: tokens.state,
      ...deriveSecrets(app, tokens),
      loginHint,
      mustAuthenticate: session !== undefined,
    })
    .catch((error: unknown) => {
      throw toUnavailable(error);
    });
  const now = app.clock.now();
  const expiresAt = later(now, LIFE_MS);
  await asSystem(app.db, (tx) =>
    insertRequest(tx, {
      state: digestToken(tokens.state),
      browser: digestToken(tokens.browserToken),
      connection_id: connection.id,
      member_id: session?.memberId ?? null,
      session_id: session?.sessionId ?? null,
      return_to: returnTo ?? null,
      created_at: now,
      expires_at: expiresAt,
    }),
  );
  const cookie = returningCookie(app, 'single-sign-on', {
    token: tokens.browserToken,
    maxAgeSeconds: LIFE_MS / SECOND,
  });
  return { authorizationUrl: url.href, expiresAt, cookie };
}

function toUnavailable(error: unknown): unknown {
  if (!(error instanceof IdentityProviderError)) return error;
  return new DomainError('unavailable', `Single sign-on is not available: ${error.message}`, RETRY_SECONDS);
}

/** Uses up the request of a browser that comes back, whatever follows. Undefined where it has none. */
export function consumeRequest(app: App, tokens: RequestTokens): Promise<SsoRequestRow | undefined> {
  const key = { state: digestToken(tokens.state), browser: digestToken(tokens.browserToken) };
  return asSystem(app.db, (tx) => takeRequest(tx, key, app.clock.now()));
}
