import { sql, type Selectable, type Updateable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

export type SsoConnectionRow = Selectable<Database['sso_connection']>;

const connections = (tx: Tx, orgId: string) =>
  tx.selectFrom('sso_connection').selectAll().where('org_id', '=', orgId);

/** Oldest first. */
export const listConnections = (tx: Tx, orgId: string, limit: number): Promise<SsoConnectionRow[]> =>
  connections(tx, orgId).orderBy('id').limit(limit).execute();

export const findConnection = (tx: Tx, orgId: string, id: string): Promise<SsoConnectionRow | undefined> =>
  connections(tx, orgId).where('id', '=', id).executeTakeFirst();

/** An active connection of whatever organization. */
export const findActiveConnection = (tx: Tx, id: string): Promise<SsoConnectionRow | undefined> =>
  tx
    .selectFrom('sso_connection')
    .selectAll()
    .where('id', '=', id)
    .where('is_active', '=', true)
    .executeTakeFirst();

/**
 * The active connection for a domain of e-mail addresses. One organization at most has verified a domain, and has one
 * connection for it.
 */
export const findConnectionForDomain = (tx: Tx, domain: string): Promise<SsoConnectionRow | undefined> =>
  tx
    .selectFrom('sso_connection as c')
    .innerJoin('organization_domain as d', 'd.org_id', 'c.org_id')
    .selectAll('c')
    .where('d.domain', '=', domain)
    .where('d.status', '=', 'verified')
    .where('c.is_active', '=', true)
    .where(sql<boolean>`d.domain = any(c.domains)`)
    .executeTakeFirst();

/** The names of the connections of an organization that use a domain, active or not. */
export async function listConnectionsWithDomain(tx: Tx, orgId: string, domain: string): Promise<string[]> {
  const rows = await connections(tx, orgId)
    .where(sql<boolean>`${domain} = any(domains)`)
    .execute();
  return rows.map(({ name }) => name);
}

export async function insertConnection(tx: Tx, row: SsoConnectionRow): Promise<void> {
  await tx.insertInto('sso_connection').values(row).execute();
}

export async function changeConnection(
  tx: Tx,
  id: string,
  change: Updateable<Database['sso_connection']>,
): Promise<void> {
  await tx.updateTable('sso_connection').set(change).where('id', '=', id).execute();
}

export async function deleteConnection(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('sso_connection').where('id', '=', id).execute();
}
