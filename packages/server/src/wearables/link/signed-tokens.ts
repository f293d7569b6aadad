import { digestToken } from '../../platform/crypto/secret-token.ts';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { parse, stringify } from 'uuid';
import type { App } from '../../app.ts';
import type { Tenant } from '../../platform/tenant.ts';

/**
 * A signed bearer token: the tenant, a random secret, and an HMAC over both. The tenant is known before any row is
 * read. Rows are found by the SHA-256 digest of the token; the token itself is never stored.
 */
interface SignedToken {
  readonly tenant: Tenant;
  readonly digest: Buffer;
}

type SignedTokenPurpose = 'link_token' | 'link_state';

const SECRET_BYTES = 24;
const SIGNATURE_BYTES = 16;
const TENANT_BYTES = 17;

export function createSignedToken(
  app: App,
  purpose: SignedTokenPurpose,
  tenant: Tenant,
): { word: string; digest: Buffer } {
  const environment = tenant.environment === 'sandbox' ? 1 : 0;
  const body = Buffer.concat([parse(tenant.teamId), Buffer.of(environment), randomBytes(SECRET_BYTES)]);
  const word = Buffer.concat([body, signBytes(app, purpose, body)]).toString('base64url');
  return { word, digest: digestToken(word) };
}

/** Verifies a token; undefined if it was not issued by us for this purpose. */
export function verifySignedToken(
  app: App,
  purpose: SignedTokenPurpose,
  word: string,
): SignedToken | undefined {
  const bytes = Buffer.from(word, 'base64url');
  const body = bytes.subarray(0, TENANT_BYTES + SECRET_BYTES);
  if (bytes.length !== body.length + SIGNATURE_BYTES || bytes.toString('base64url') !== word)
    return undefined;
  if (!timingSafeEqual(bytes.subarray(body.length), signBytes(app, purpose, body))) return undefined;
  const environment = body[TENANT_BYTES - 1] === 1 ? 'sandbox' : 'production';
  return {
    tenant: { teamId: stringify(body.subarray(0, TENANT_BYTES - 1)), environment },
    digest: digestToken(word),
  };
}

const signBytes = ({ keyring }: App, purpose: SignedTokenPurpose, body: Buffer): Buffer =>
  createHmac('sha256', keyring.derive(`wearables/${purpose}`))
    .update(body)
    .digest()
    .subarray(0, SIGNATURE_BYTES);
