import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { App } from '../../app.ts';
import {
  findWorkingToken,
  issueUserToken,
  registerToken,
  systemNowOf,
  TOKEN_KINDS,
} from '../../identity/management/management.ts';
import { DAY, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { ENVIRONMENTS, type Tenant } from '../../platform/tenant.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { findUser } from '../../users/users/users.ts';
import { verifySignInToken } from './sign-in-token.ts';
import * as store from './store.ts';

/**
 * A session of a user's app: what it got for one sign-in token, whose id is the id of the session. It has an access
 * token, and a refresh token that can be used once. A refresh token that is used again ends the session, because two
 * hold it then; except shortly after its use, when the response may have been lost.
 */
type AppTokenKind = 'app_access' | 'app_refresh';
const REPEAT_MS = MINUTE;
const USED_RETENTION_MS = DAY;

/** The errors by which an app learns what to do: give up the user, or ask its backend for a new sign-in token. */
export type SessionRefusal = 'invalid_token' | 'reauthentication_required';

export interface SessionTokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

const Claims = z.object({
  sub: z.guid(),
  team: z.guid(),
  env: z.enum(ENVIRONMENTS),
  jti: z.guid(),
  session: z.guid(),
  exp: z.int(),
});

interface AppTokenClaims {
  readonly tenant: Tenant;
  readonly userId: string;
  readonly id: string;
  readonly sessionId: string;
  readonly expiresAt: Date;
}

const deriveKey = ({ keyring }: App, kind: AppTokenKind) => keyring.derive(`wearables/${kind}`);

/** The claims of a token that this service signed for this purpose, also of an expired one. */
export async function readAppToken(
  app: App,
  kind: AppTokenKind,
  word: string,
): Promise<AppTokenClaims | undefined> {
  const options = { audience: kind, algorithms: ['HS256'], currentDate: new Date(0) };
  const verified = await jwtVerify(word, deriveKey(app, kind), options).catch(() => undefined);
  const { data } = Claims.safeParse(verified?.payload);
  if (!data) return undefined;
  const tenant: Tenant = { teamId: data.team, environment: data.env };
  const expiresAt = new Date(data.exp * SECOND);
  return { tenant, userId: data.sub, id: data.jti, sessionId: data.session, expiresAt };
}

interface AppToken {
  readonly kind: AppTokenKind;
  readonly userId: string;
  readonly sessionId: string;
  readonly registered: { readonly id: string; readonly issuedAt: Date; readonly expiresAt: Date };
}

const signToken = (work: Work, app: App, { kind, userId, sessionId, registered }: AppToken) =>
  new SignJWT({ team: work.tenant.teamId, env: work.tenant.environment, session: sessionId })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(userId)
    .setJti(registered.id)
    .setAudience(kind)
    .setIssuedAt(registered.issuedAt)
    .setExpirationTime(registered.expiresAt)
    .sign(deriveKey(app, kind));

type Register = (kind: AppTokenKind) => Promise<AppToken['registered']>;

async function createTokens(
  work: Work,
  app: App,
  { userId, sessionId, register }: { userId: string; sessionId: string; register: Register },
): Promise<SessionTokens> {
  const sign = async (kind: AppTokenKind) =>
    signToken(work, app, { kind, userId, sessionId, registered: await register(kind) });
  return {
    access_token: await sign('app_access'),
    refresh_token: await sign('app_refresh'),
    expires_in: TOKEN_KINDS.app_access.lifetimeMs / SECOND,
  };
}

/** Begins a session. A sign-in token can begin several, so that a lost response can be asked for again. */
export async function beginSession(app: App, userToken: string): Promise<SessionTokens | SessionRefusal> {
  const who = await verifySignInToken(app, userToken);
  if (!who || who === 'ended') return 'invalid_token';
  const { tenant, userId, tokenId } = who;
  return inTenant(app, tenant, async (work) => {
    if (!(await findUser(work, userId))) return 'invalid_token' as const;
    const issuer = { tokenId };
    const register: Register = (kind) => issueUserToken(work, { kind, userId, issuer });
    return createTokens(work, app, { userId, sessionId: tokenId, register });
  });
}

/** Goes on with a session: the refresh token is used up. */
export async function refreshSession(app: App, word: string): Promise<SessionTokens | SessionRefusal> {
  const claims = await readAppToken(app, 'app_refresh', word);
  if (!claims) return 'invalid_token';
  const { tenant, userId, sessionId } = claims;
  return inTenant(app, tenant, async (work) => {
    if (!(await findUser(work, userId))) return 'invalid_token' as const;
    const now = systemNowOf(work);
    const row = await findUsable(work, claims, now);
    if (!row) return 'reauthentication_required' as const;
    await store.endTokens(work, { sessionId, id: claims.id }, now);
    await store.deleteUsedTokens(work, { sessionId, before: later(now, -USED_RETENTION_MS) });
    const { api_key_id, management_key_id, member_id } = row;
    const key = { api_key_id, management_key_id, member_id, parent_id: sessionId };
    const times = { systemNow: now, now: work.now };
    const register: Register = (kind) => registerToken(work.tx, { tenant, kind, userId, key, times });
    return createTokens(work, app, { userId, sessionId, register });
  });
}

/** The row of a refresh token that may be used. Ends the session where the token was used before. */
async function findUsable(work: Work, { id, sessionId }: AppTokenClaims, now: Date) {
  const row = await store.lockRefreshToken(work, id);
  const isRepeat = row?.ended_at != null && later(row.ended_at, REPEAT_MS) > now;
  if (!row || (row.ended_at !== null && !isRepeat)) {
    await store.endTokens(work, { sessionId }, now);
    return undefined;
  }
  if (row.expires_at <= now) return undefined;
  // A revoked session has no refresh token that works, whatever was used a moment ago.
  const live = isRepeat ? await store.findLiveRefreshToken(work, sessionId) : row;
  const wanted = live && { tenant: work.tenant, id: live.id, kind: 'app_refresh' as const };
  return wanted && (await findWorkingToken(work.tx, wanted, now)) ? row : undefined;
}
