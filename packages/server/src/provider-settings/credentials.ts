import { z } from 'zod';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import type { Work } from '../platform/work.ts';
import * as store from './credential-store.ts';
import { ProviderDetails } from './details.ts';

const CIPHER_CONTEXT = 'provider_credential.private';

/** The part of a credential that is encrypted. */
const CredentialSecrets = z.object({
  client_id: z.string().nullable(),
  client_secret: z.string().nullable(),
  details: ProviderDetails.nullable(),
  redirect_url_override: z.string().nullable(),
});
export type CredentialSecrets = z.output<typeof CredentialSecrets>;

/** A credential without its secret. The details still contain secrets; mask them before they are returned. */
export interface TeamCredential {
  readonly id: string;
  readonly teamId: string;
  readonly source: string;
  readonly clientId: string | null;
  readonly secretHash: string | null;
  readonly details: ProviderDetails | null;
  readonly redirectUrl: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const sealCredential = (cipher: TenantCipher, given: CredentialSecrets): Buffer =>
  cipher.seal(JSON.stringify(given), CIPHER_CONTEXT);

export const openCredential = (cipher: TenantCipher, row: store.CredentialRow): CredentialSecrets =>
  CredentialSecrets.parse(JSON.parse(cipher.open(row.private, CIPHER_CONTEXT)));

export function toCredential(cipher: TenantCipher, row: store.CredentialRow): TeamCredential {
  const given = openCredential(cipher, row);
  const secret = given.client_secret;
  return {
    id: row.id,
    teamId: row.team_id,
    source: row.source,
    clientId: given.client_id,
    secretHash: secret === null ? null : cipher.blindIndex(`${CIPHER_CONTEXT}/${secret}`).toString('hex'),
    details: given.details,
    redirectUrl: given.redirect_url_override,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The decrypted credentials of a team. Use them to call the provider; never return or log them. */
export interface OwnCredentials {
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  readonly details: ProviderDetails | null;
  /** The team's own redirect URL, in place of ours. */
  readonly redirectUrl: string | null;
}

/** The tenant's own credentials for a provider, laboratory or courier; undefined if it has none. */
export async function findOwnCredentials(work: Work, source: string): Promise<OwnCredentials | undefined> {
  const row = await store.findCredential(work.tx, work.tenant, source);
  if (!row) return undefined;
  const given = openCredential(work.cipher, row);
  return {
    clientId: given.client_id,
    clientSecret: given.client_secret,
    details: given.details,
    redirectUrl: given.redirect_url_override,
  };
}

/** The sources for which the tenant has its own credentials. */
export const listOwnSources = async (work: Work): Promise<Set<string>> =>
  new Set((await store.listSources(work.tx, work.tenant)).map(({ source }) => source));
