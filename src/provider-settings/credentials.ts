import { z } from 'zod';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import type { Work } from '../platform/work.ts';
import * as store from './credential-store.ts';
import { Details } from './details.ts';

const PLACE = 'provider_credential.private';

/** What is sealed. */
const Private = z.object({
  client_id: z.string().nullable(),
  client_secret: z.string().nullable(),
  details: Details.nullable(),
  redirect_url_override: z.string().nullable(),
});
export type Private = z.output<typeof Private>;

/** As it may be told, details aside, whose secrets are masked on their way out. */
export interface Credential {
  readonly id: string;
  readonly teamId: string;
  readonly source: string;
  readonly clientId: string | null;
  readonly secretHash: string | null;
  readonly details: Details | null;
  readonly redirectUrl: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const sealPrivate = (cipher: TenantCipher, given: Private): Buffer =>
  cipher.seal(JSON.stringify(given), PLACE);

export const openPrivate = (cipher: TenantCipher, row: store.CredentialRow): Private =>
  Private.parse(JSON.parse(cipher.open(row.private, PLACE)));

export function credentialOf(cipher: TenantCipher, row: store.CredentialRow): Credential {
  const given = openPrivate(cipher, row);
  const secret = given.client_secret;
  return {
    id: row.id,
    teamId: row.team_id,
    source: row.source,
    clientId: given.client_id,
    secretHash: secret === null ? null : cipher.blindIndex(`${PLACE}/${secret}`).toString('hex'),
    details: given.details,
    redirectUrl: given.redirect_url_override,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The own account of a team with a provider, opened, to be used and not to be told. */
export interface OwnCredentials {
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  readonly details: Details | null;
  /** Where users come back to, instead of our own address. */
  readonly redirectUrl: string | null;
}

/** The tenant's own credentials for a provider, laboratory or courier; undefined where it has set none. */
export async function credentialsOf(work: Work, source: string): Promise<OwnCredentials | undefined> {
  const row = await store.findCredential(work.tx, work.tenant, source);
  if (!row) return undefined;
  const given = openPrivate(work.cipher, row);
  return {
    clientId: given.client_id,
    clientSecret: given.client_secret,
    details: given.details,
    redirectUrl: given.redirect_url_override,
  };
}

/** The sources for which the tenant has credentials of its own. */
export const ownSources = async (work: Work): Promise<Set<string>> =>
  new Set((await store.listSources(work.tx, work.tenant)).map(({ source }) => source));
