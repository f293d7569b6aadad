/**
 * The entry point of the module: with which identity providers members of an organization sign in, and which accounts
 * there are which members. It knows no sessions, so that whatever opens one can ask it.
 */
import type { Tx } from '../../platform/db/database.ts';
import { findConnectionForDomain } from './connection-store.ts';

export {
  changeConnection,
  deleteConnection,
  findActiveConnection,
  findConnection,
  findConnectionForDomain,
  insertConnection,
  listConnections,
  listConnectionsWithDomain,
  type SsoConnectionRow,
} from './connection-store.ts';
export {
  deleteIdentities,
  deleteIdentitiesOfMember,
  findConnectionOfMember,
  findIdentity,
  findIdentityOfMember,
  listLinkedMembers,
  saveIdentity,
} from './identity-store.ts';
export type { DefaultRole } from './table.ts';

/** What follows the last @, in lower case. */
export const domainOfEmail = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase();

/** Whether a member must sign in with an identity provider, by the domain of the address. */
export async function requiresSingleSignOn(
  tx: Tx,
  { org_id: orgId, email }: { readonly org_id: string; readonly email: string },
): Promise<boolean> {
  const connection = await findConnectionForDomain(tx, domainOfEmail(email));
  return connection !== undefined && connection.org_id === orgId && connection.is_enforced;
}
