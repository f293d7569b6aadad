import { digestToken } from '../../platform/crypto/secret-token.ts';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { parse, stringify } from 'uuid';
import type { App } from '../../app.ts';
import type { PageLanguage } from '../../hosted/hosted.ts';
import type { Tenant } from '../../platform/tenant.ts';

/**
 * A signed bearer token: the tenant, the language of the page where it began, a random secret, and an HMAC over them. The tenant is known before any row is
 * read. Rows are found by the SHA-256 digest of the token; the token itself is never stored.
 */
interface SignedToken {
  readonly tenant: Tenant;
  /** Of the page where the user began; undefined for a token that no page made. */
  readonly language: PageLanguage | undefined;
  readonly digest: Buffer;
}

type SignedTokenPurpose = 'link_token' | 'link_state';

/** Numbered from 1 in the tokens; 0 is none. New ones are added at the end, up to the seventh. */
const TOKEN_LANGUAGES: readonly PageLanguage[] = ['en', 'de', 'fr', 'es', 'pt'];
/** In the byte between tenant and secret, above the bit of the environment. */
const LANGUAGE_SHIFT = 1;
const LANGUAGE_MASK = 0b111;

const SECRET_BYTES = 24;
const SIGNATURE_BYTES = 16;
const TENANT_BYTES = 17;

export function createSignedToken(
  app: App,
  purpose: SignedTokenPurpose,
  { tenant, language }: { readonly tenant: Tenant; readonly language?: PageLanguage | undefined },
): { word: string; digest: Buffer } {
  const environment = tenant.environment === 'sandbox' ? 1 : 0;
  const number = language === undefined ? 0 : TOKEN_LANGUAGES.indexOf(language) + 1;
  const flags = Buffer.of(environment | (number << LANGUAGE_SHIFT));
  const body = Buffer.concat([parse(tenant.teamId), flags, randomBytes(SECRET_BYTES)]);
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
  const flags = body[TENANT_BYTES - 1] ?? 0;
  const environment = (flags & 1) === 1 ? 'sandbox' : 'production';
  return {
    tenant: { teamId: stringify(body.subarray(0, TENANT_BYTES - 1)), environment },
    language: TOKEN_LANGUAGES[((flags >> LANGUAGE_SHIFT) & LANGUAGE_MASK) - 1],
    digest: digestToken(word),
  };
}

const signBytes = ({ keyring }: App, purpose: SignedTokenPurpose, body: Buffer): Buffer =>
  createHmac('sha256', keyring.derive(`wearables/${purpose}`))
    .update(body)
    .digest()
    .subarray(0, SIGNATURE_BYTES);
