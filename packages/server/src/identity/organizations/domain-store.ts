import type { Selectable, Updateable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

export type DomainRow = Selectable<Database['organization_domain']>;

const domains = (tx: Tx, orgId: string) =>
  tx.selectFrom('organization_domain').selectAll().where('org_id', '=', orgId);

export const listDomains = (tx: Tx, orgId: string, limit: number): Promise<DomainRow[]> =>
  domains(tx, orgId).orderBy('id').limit(limit).execute();

export const findDomain = (tx: Tx, orgId: string, id: string): Promise<DomainRow | undefined> =>
  domains(tx, orgId).where('id', '=', id).executeTakeFirst();

export const findDomainByName = (tx: Tx, orgId: string, domain: string): Promise<DomainRow | undefined> =>
  domains(tx, orgId).where('domain', '=', domain).executeTakeFirst();

/** Those that the organization has proven to be its own. */
export async function listVerifiedDomains(tx: Tx, orgId: string): Promise<string[]> {
  const rows = await domains(tx, orgId).where('status', '=', 'verified').execute();
  return rows.map(({ domain }) => domain);
}

/** Whether the organization has proved that the domain is its own. */
export async function hasVerifiedDomain(tx: Tx, orgId: string, domain: string): Promise<boolean> {
  const found = await domains(tx, orgId)
    .where('domain', '=', domain)
    .where('status', '=', 'verified')
    .executeTakeFirst();
  return found !== undefined;
}

export async function insertDomain(tx: Tx, row: DomainRow): Promise<void> {
  await tx.insertInto('organization_domain').values(row).execute();
}

export async function changeDomain(
  tx: Tx,
  id: string,
  change: Updateable<Database['organization_domain']>,
): Promise<void> {
  await tx.updateTable('organization_domain').set(change).where('id', '=', id).execute();
}

export async function deleteDomain(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('organization_domain').where('id', '=', id).execute();
}
