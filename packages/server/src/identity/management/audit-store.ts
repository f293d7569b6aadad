import { sql, type Insertable, type Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import './table.ts';

export type AuditEntryRow = Selectable<Database['audit_log']>;

/** A trigger assigns the positions in the chain of the organization; concurrent writers wait for each other. */
export async function insertAuditEntries(
  tx: Tx,
  rows: readonly Insertable<Database['audit_log']>[],
): Promise<void> {
  await tx.insertInto('audit_log').values(rows).execute();
}

/** The entries to select. */
export interface AuditEntryFilter {
  readonly orgId: string;
  readonly teamId: string | undefined;
  readonly actor: string | undefined;
  readonly action: string | undefined;
  readonly subject: string | undefined;
  readonly since: Date | undefined;
  readonly until: Date | undefined;
}

function filteredEntries(tx: Tx, filter: AuditEntryFilter) {
  let query = tx.selectFrom('audit_log').selectAll().where('org_id', '=', filter.orgId);
  if (filter.teamId !== undefined) query = query.where('team_id', '=', filter.teamId);
  if (filter.actor !== undefined) query = query.where('actor', '=', filter.actor);
  if (filter.action !== undefined) query = query.where('action', '=', filter.action);
  if (filter.subject !== undefined) query = query.where('subject', '=', filter.subject);
  if (filter.since) query = query.where('created_at', '>=', filter.since);
  if (filter.until) query = query.where('created_at', '<', filter.until);
  return query;
}

/** Entries before a position, newest first. */
export function listAuditEntries(
  tx: Tx,
  filter: AuditEntryFilter,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<AuditEntryRow[]> {
  let query = filteredEntries(tx, filter);
  if (before !== undefined) query = query.where('position', '<', before);
  return query.orderBy('position', 'desc').limit(limit).execute();
}

/** Entries after a position, oldest first. */
export const listAuditEntriesAfter = (
  tx: Tx,
  filter: AuditEntryFilter,
  { after, limit }: { after: number; limit: number },
): Promise<AuditEntryRow[]> =>
  filteredEntries(tx, filter).where('position', '>', after).orderBy('position').limit(limit).execute();

export interface ChainHead {
  readonly position: number;
  readonly digest: Buffer;
}

/** The organizations after an id, each with its separately stored chain head. */
export const listChainHeads = (
  tx: Tx,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ id: string; position: number | null; digest: Buffer | null }[]> => {
  const query = tx
    .selectFrom('organization as o')
    .leftJoin('audit_head as h', 'h.org_id', 'o.id')
    .select(['o.id', 'h.position', 'h.digest'])
    .orderBy('o.id')
    .limit(limit);
  return (after === undefined ? query : query.where('o.id', '>', after)).execute();
};

export interface ChainLink {
  readonly id: string;
  readonly position: number;
  readonly previous: Buffer;
  readonly digest: Buffer;
  /** The digest computed from the current content. */
  readonly actual: Buffer;
  readonly teamId: string | null;
  /** The seal of an access log range, if the entry contains one. */
  readonly sealed: unknown;
}

/** The next entries of the chain, each with the digest of its current content. */
export async function listLinksAfter(
  tx: Tx,
  { orgId, after, limit }: { orgId: string; after: number; limit: number },
): Promise<ChainLink[]> {
  const { rows } = await sql<ChainLink>`
    select a.id, a.position, a.previous, a.digest, aliquot_deed_digest(a) as actual, a.team_id as "teamId",
      case when a.action = 'access_log.sealed' then a.after end as sealed
    from audit_log a where a.org_id = ${orgId} and a.position > ${after}
    order by a.position limit ${limit}`.execute(tx);
  return rows;
}

/** The first entry after the chain head; both are read in one snapshot. */
export async function findEntryBeyondHead(
  tx: Tx,
  orgId: string,
): Promise<Pick<ChainLink, 'id' | 'position'> | undefined> {
  const { rows } = await sql<Pick<ChainLink, 'id' | 'position'>>`
    select a.id, a.position from audit_log a left join audit_head h on h.org_id = a.org_id
    where a.org_id = ${orgId} and a.position > coalesce(h.position, 0)
    order by a.position limit 1`.execute(tx);
  return rows[0];
}
