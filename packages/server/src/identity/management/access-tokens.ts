import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { App } from '../../app.ts';
import { later, SECOND } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { AuthenticationRequest, TeamPrincipal } from '../../platform/http/route.ts';
import { ENVIRONMENTS, type Tenant } from '../../platform/tenant.ts';
import { mayReadTag, requirePermission } from './api-areas.ts';
import { invalidKeyError } from './failed-authentication-limiter.ts';
import { findWorkingToken, registerToken } from './issued-tokens.ts';
import { TOKEN_KINDS } from './token-kinds.ts';

const ISSUER = 'aliquot';
const Claims = z.object({ sub: z.guid(), env: z.enum(ENVIRONMENTS), jti: z.guid() });

interface NewAccessToken {
  readonly tenant: Tenant;
  /** The key that issues it, or the signed-in member. */
  readonly issuer: { readonly managementKeyId: string } | { readonly memberId: string };
  /** The current time of the system and of the tenant. */
  readonly times: { readonly systemNow: Date; readonly now: Date };
}

/** Issues a token for the team in one environment, valid for ten minutes on its clock; `id` identifies it in logs. */
export async function createAccessToken(
  app: App,
  tx: Tx,
  { tenant, issuer, times }: NewAccessToken,
): Promise<{ id: string; access_token: string; expires_in: number }> {
  const key = {
    api_key_id: null,
    management_key_id: 'managementKeyId' in issuer ? issuer.managementKeyId : null,
    member_id: 'memberId' in issuer ? issuer.memberId : null,
    parent_id: null,
  };
  const made = await registerToken(tx, { tenant, kind: 'access', userId: null, key, times });
  const token = await new SignJWT({ env: tenant.environment })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(ISSUER)
    .setSubject(tenant.teamId)
    .setJti(made.id)
    .setIssuedAt(made.issuedAt)
    .setExpirationTime(made.expiresAt)
    .sign(app.keyring.derive('access-token'));
  return { id: made.id, access_token: token, expires_in: TOKEN_KINDS.access.lifetimeMs / SECOND };
}

/**
 * Undefined for a token that this service did not sign. An expired or revoked token is refused like an unknown key, but
 * not rate limited.
 */
export async function authenticateToken(
  app: App,
  token: string,
  asked: AuthenticationRequest,
): Promise<TeamPrincipal | undefined> {
  const options = { issuer: ISSUER, algorithms: ['HS256'] };
  const key = app.keyring.derive('access-token');
  // The expiry depends on the clock of the tenant, which the token names. Both calls verify the signature.
  const early = await jwtVerify(token, key, { ...options, currentDate: new Date(0) }).catch(() => undefined);
  if (!early) return undefined;
  const { data: claims } = Claims.safeParse(early.payload);
  if (!claims) throw invalidKeyError();
  const tenant: Tenant = { teamId: claims.sub, environment: claims.env };
  const wanted = { tenant, id: claims.jti, kind: 'access' as const };
  const found = await asSystem(app.db, (tx) => findWorkingToken(tx, wanted, app.clock.now()));
  if (!found) throw invalidKeyError();
  const currentDate = later(app.clock.now(), found.clockOffsetMs);
  await jwtVerify(token, key, { ...options, currentDate }).catch(() => {
    throw invalidKeyError();
  });
  requirePermission(found.permissions, asked);
  return {
    tenant,
    kind: 'access_token',
    keyId: claims.jti,
    features: new Set(found.features),
    mayRead: ({ tag }) => mayReadTag(found.permissions, tag),
  };
}
