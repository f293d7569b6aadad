import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { App } from '../../app.ts';
import { later, MINUTE, SECOND } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { TeamPrincipal } from '../../platform/http/route.ts';
import { ENVIRONMENTS, type Tenant } from '../../platform/tenant.ts';
import { findTokenTenant } from './store.ts';
import { invalidKeyError } from './failed-authentication-limiter.ts';

const TOKEN_LIFETIME_MS = 10 * MINUTE;
const ISSUER = 'aliquot';
const Claims = z.object({ sub: z.guid(), env: z.enum(ENVIRONMENTS), jti: z.guid().optional() });

/** Signs a token for the team in one environment, valid for ten minutes on its clock; `id` identifies it in logs. */
export async function createAccessToken(
  app: App,
  tenant: Tenant,
  { id, now }: { id: string; now: Date },
): Promise<{ access_token: string; expires_in: number }> {
  const token = await new SignJWT({ env: tenant.environment })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(ISSUER)
    .setSubject(tenant.teamId)
    .setJti(id)
    .setIssuedAt(now)
    .setExpirationTime(later(now, TOKEN_LIFETIME_MS))
    .sign(app.keyring.derive('access-token'));
  return { access_token: token, expires_in: TOKEN_LIFETIME_MS / SECOND };
}

/**
 * Undefined for a token that this service did not sign. An expired token is refused like an unknown key, but not rate
 * limited.
 */
export async function authenticateToken(app: App, token: string): Promise<TeamPrincipal | undefined> {
  const options = { issuer: ISSUER, algorithms: ['HS256'] };
  const key = app.keyring.derive('access-token');
  // The expiry depends on the clock of the tenant, which the token names. Both calls verify the signature.
  const early = await jwtVerify(token, key, { ...options, currentDate: new Date(0) }).catch(() => undefined);
  if (!early) return undefined;
  const claims = Claims.parse(early.payload);
  const tenant: Tenant = { teamId: claims.sub, environment: claims.env };
  const row = await asSystem(app.db, (tx) => findTokenTenant(tx, tenant));
  if (!row) throw invalidKeyError();
  const currentDate = later(app.clock.now(), row.clock_offset_ms);
  await jwtVerify(token, key, { ...options, currentDate }).catch(() => {
    throw invalidKeyError();
  });
  const keyId = claims.jti ?? `token:${tenant.teamId}`;
  return { tenant, kind: 'access_token', keyId, features: new Set(row.features) };
}
