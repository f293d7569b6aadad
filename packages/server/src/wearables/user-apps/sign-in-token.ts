import type { KeyObject } from 'node:crypto';
import { decodeJwt, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { App } from '../../app.ts';
import {
  findWorkingToken,
  issueUserToken,
  type KeyPermissions,
  type TokenIssuer,
} from '../../identity/management/management.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { readTenant, type Work } from '../../platform/work.ts';
import { findPublicKey } from './signing-key.ts';

/**
 * A sign-in token is base64 of `{"public_key", "user_token"}`, and the user token a JWT: the mobile SDKs take both apart
 * before they send the user token. They read the environment and the region, and so the host, from the issuer. They
 * decode the JWT as base64 and not as base64url, so its claims must encode without `-` and `_`, as these do: no other
 * ASCII characters than `>`, `?` and `~` encode to them.
 */
const SignInToken = z.object({ public_key: z.string(), user_token: z.string() });

const ALGORITHM = 'RS256';
const AUDIENCE = 'sign_in';
const ENVIRONMENT_NAMES = { sandbox: 'stg', production: 'prd' } as const;
const ISSUER = /^id-signer-(stg|prd)-[a-z]+@vital-id-[a-z]+-[a-z]+\.iam\.gserviceaccount\.com$/;

const Claims = z.object({
  iss: z.string().regex(ISSUER),
  uid: z.guid(),
  jti: z.guid(),
  claims: z.object({ vital_team_id: z.guid() }),
});

interface NewSignInToken {
  readonly userId: string;
  readonly issuer: TokenIssuer;
  readonly key: KeyObject;
  /** Of the service: the SDKs derive the host from it. */
  readonly region: string;
}

export async function createSignInToken(
  work: Work,
  { userId, issuer, key, region }: NewSignInToken,
): Promise<{ id: string; word: string }> {
  const { id, issuedAt, expiresAt } = await issueUserToken(work, { kind: 'sign_in', userId, issuer });
  const { teamId, environment } = work.tenant;
  const place = `${ENVIRONMENT_NAMES[environment]}-${region}`;
  const token = await new SignJWT({
    uid: userId,
    tenant_id: teamId,
    claims: { vital_team_id: teamId, vital_user_id: userId },
  })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setIssuer(`id-signer-${place}@vital-id-${place}.iam.gserviceaccount.com`)
    .setSubject(userId)
    .setJti(id)
    .setAudience(AUDIENCE)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(key);
  const both = JSON.stringify({ public_key: teamId, user_token: token });
  return { id, word: Buffer.from(both).toString('base64') };
}

/** The user that a sign-in token was issued for, and what the key behind it permits. */
export interface SignedInUser {
  readonly tenant: Tenant;
  readonly userId: string;
  readonly tokenId: string;
  readonly permissions: KeyPermissions;
}

/** The user token within a sign-in token; the text itself where it is none. */
export function userTokenOf(word: string): string {
  try {
    const bytes = Buffer.from(word, 'base64');
    if (bytes.toString('base64') !== word) return word;
    return SignInToken.safeParse(JSON.parse(bytes.toString())).data?.user_token ?? word;
  } catch {
    return word;
  }
}

/**
 * Verifies a user token. Undefined if this service did not sign it; `ended` if it has expired, or it or its key was
 * revoked, or its user or team was deleted.
 */
export async function verifySignInToken(app: App, word: string): Promise<SignedInUser | 'ended' | undefined> {
  const claims = readClaims(word);
  if (!claims) return undefined;
  const environment = claims.iss.startsWith('id-signer-stg-') ? 'sandbox' : 'production';
  const tenant: Tenant = { teamId: claims.claims.vital_team_id, environment };
  // Only the tenant comes from claims that are not verified yet: it says whose key has to have signed them.
  const key = await findPublicKey(app, tenant);
  if (!key) return undefined;
  const options = { audience: AUDIENCE, algorithms: [ALGORITHM] };
  const isSigned = await verifies(word, key, { ...options, currentDate: new Date(0) });
  if (!isSigned) return undefined;
  const now = app.clock.now();
  if (!(await verifies(word, key, { ...options, currentDate: now }))) return 'ended';
  const wanted = { tenant, id: claims.jti, kind: 'sign_in' as const };
  const found = await readTenant(app, tenant, ({ tx }) => findWorkingToken(tx, wanted, now));
  if (found?.userId !== claims.uid) return 'ended';
  return { tenant, userId: claims.uid, tokenId: claims.jti, permissions: found.permissions };
}

function readClaims(word: string): z.output<typeof Claims> | undefined {
  try {
    return Claims.safeParse(decodeJwt(word)).data;
  } catch {
    return undefined;
  }
}

const verifies = (word: string, key: KeyObject, options: Parameters<typeof jwtVerify>[2]): Promise<boolean> =>
  jwtVerify(word, key, options).then(
    () => true,
    () => false,
  );
