import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import type { Database } from '../../platform/db/database.ts';
import type { CONNECTION_ERROR_TYPES } from '../connection.ts';
import './table.ts';

export type ProviderConnectionRow = Selectable<Database['connection']>;
export type ConnectionErrorType = (typeof CONNECTION_ERROR_TYPES)[number];

const PLACE = 'connection.private';

const IsoDate = z.iso.datetime().transform((text) => new Date(text));

/** The encrypted part of a connection. */
const ConnectionSecrets = z.object({
  grant: z
    .object({
      accessToken: z.string(),
      refreshToken: z.string().nullable(),
      expiresAt: IsoDate.nullable(),
      scopes: z.array(z.string()).readonly(),
      externalUserId: z.string().nullable(),
      issuer: z.string().optional(),
    })
    .nullable(),
  faultMessage: z.string().nullable(),
});
type ConnectionSecrets = z.output<typeof ConnectionSecrets>;

/** A decrypted connection. Its grant must never appear in a response or an event. */
export type ProviderConnection = Omit<ProviderConnectionRow, 'private' | 'team_id' | 'environment'> &
  ConnectionSecrets;

export const sealConnectionSecrets = (cipher: TenantCipher, given: ConnectionSecrets): Buffer =>
  cipher.seal(JSON.stringify(given), PLACE);

export function openConnection(cipher: TenantCipher, row: ProviderConnectionRow): ProviderConnection {
  const { private: sealed, team_id: _team, environment: _environment, ...rest } = row;
  return { ...rest, ...ConnectionSecrets.parse(JSON.parse(cipher.open(sealed, PLACE))) };
}

/** Blind index by which a notification's external user id is looked up. */
export const indexExternalUser = (
  cipher: TenantCipher,
  { provider, externalUserId }: { provider: string; externalUserId: string },
): Buffer => cipher.blindIndex(`connection.external/${provider}/${externalUserId}`);
