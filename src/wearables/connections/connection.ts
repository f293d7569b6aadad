import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import type { Database } from '../../platform/db/database.ts';
import type { CONNECTION_FAULTS } from '../connection.ts';
import './table.ts';

export type ConnectionRow = Selectable<Database['connection']>;
export type ConnectionFault = (typeof CONNECTION_FAULTS)[number];

const PLACE = 'connection.private';

const Moment = z.iso.datetime().transform((text) => new Date(text));

/** What is sealed. */
const Private = z.object({
  grant: z
    .object({
      accessToken: z.string(),
      refreshToken: z.string().nullable(),
      expiresAt: Moment.nullable(),
      scopes: z.array(z.string()).readonly(),
      externalUserId: z.string().nullable(),
    })
    .nullable(),
  faultMessage: z.string().nullable(),
});
export type Private = z.output<typeof Private>;

/** A connection, opened: its grant is to be used and not to be told. */
export type Connection = Omit<ConnectionRow, 'private' | 'team_id' | 'environment'> & Private;

export const sealConnection = (cipher: TenantCipher, given: Private): Buffer =>
  cipher.seal(JSON.stringify(given), PLACE);

export function connectionOf(cipher: TenantCipher, row: ConnectionRow): Connection {
  const { private: sealed, team_id: _team, environment: _environment, ...rest } = row;
  return { ...rest, ...Private.parse(JSON.parse(cipher.open(sealed, PLACE))) };
}

/** By what a user of a provider is found again when its news name them. */
export const externalIndex = (
  cipher: TenantCipher,
  { provider, externalUserId }: { provider: string; externalUserId: string },
): Buffer => cipher.blindIndex(`connection.external/${provider}/${externalUserId}`);
