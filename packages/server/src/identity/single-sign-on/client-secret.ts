import type { App } from '../../app.ts';
import type { OidcClient } from '../../adapters/identity-provider/port.ts';
import type { Tx } from '../../platform/db/database.ts';
import { organizationCipher } from '../organization-keys/organization-keys.ts';
import { findConnection, type SsoConnectionRow } from '../sso-connections/sso-connections.ts';

/** Bound to the connection: a secret that is copied into another row does not open. */
const placeOf = (connectionId: string): string => `sso_connection.client_secret/${connectionId}`;

export async function sealClientSecret(
  app: App,
  tx: Tx,
  { orgId, id, secret }: { orgId: string; id: string; secret: string },
): Promise<Buffer> {
  return (await organizationCipher(app, tx, orgId)).seal(secret, placeOf(id));
}

/** The client that this service is at the provider of a connection. */
export async function toOidcClient(app: App, tx: Tx, row: SsoConnectionRow): Promise<OidcClient> {
  const { issuer, client_id: clientId, client_authentication: authentication, client_secret: sealed } = row;
  const cipher = sealed && (await organizationCipher(app, tx, row.org_id));
  const clientSecret = sealed && cipher ? cipher.open(sealed, placeOf(row.id)) : undefined;
  return { issuer, clientId, authentication, clientSecret };
}

/** Throws if the stored secret of the connection cannot be decrypted. */
export async function checkClientSecret(
  app: App,
  tx: Tx,
  { orgId, id }: { orgId: string; id: string },
): Promise<void> {
  const row = await findConnection(tx, orgId, id);
  if (row) await toOidcClient(app, tx, row);
}
