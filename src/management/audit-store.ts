import { sql, type Insertable, type Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import './table.ts';

export type DeedRow = Selectable<Database['audit_log']>;

/** The database gives the lines their places in the chain of the organization: who writes at the same time waits. */
export async function insertDeeds(tx: Tx, rows: readonly Insertable<Database['audit_log']>[]): Promise<void> {
  await tx.insertInto('audit_log').values(rows).execute();
}

/** Which lines are wanted. */
export interface DeedFilter {
  readonly orgId: string;
  readonly teamId: string | undefined;
  readonly actor: string | undefined;
  readonly action: string | undefined;
  readonly subject: string | undefined;
  readonly since: Date | undefined;
  readonly until: Date | undefined;
}

function wanted(tx: Tx, filter: DeedFilter) {
  let query = tx.selectFrom('audit_log').selectAll().where('org_id', '=', filter.orgId);
  if (filter.teamId !== undefined) query = query.where('team_id', '=', filter.teamId);
  if (filter.actor !== undefined) query = query.where('actor', '=', filter.actor);
  if (filter.action !== undefined) query = query.where('action', '=', filter.action);
  if (filter.subject !== undefined) query = query.where('subject', '=', filter.subject);
  if (filter.since) query = query.where('created_at', '>=', filter.since);
  if (filter.until) query = query.where('created_at', '<', filter.until);
  return query;
}

/** Newest first, from before a position on. */
export function listDeeds(
  tx: Tx,
  filter: DeedFilter,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<DeedRow[]> {
  let query = wanted(tx, filter);
  if (before !== undefined) query = query.where('position', '<', before);
  return query.orderBy('position', 'desc').limit(limit).execute();
}

/** Oldest first, from after a position on. */
export const nextDeeds = (
  tx: Tx,
  filter: DeedFilter,
  { after, limit }: { after: number; limit: number },
): Promise<DeedRow[]> =>
  wanted(tx, filter).where('position', '>', after).orderBy('position').limit(limit).execute();

export interface Head {
  readonly position: number;
  readonly digest: Buffer;
}

/** The organizations after one, with the ends of their chains as they are kept beside them. */
export const listHeads = (
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

export interface Link {
  readonly id: string;
  readonly position: number;
  readonly previous: Buffer;
  readonly digest: Buffer;
  /** What the digest has to be. */
  readonly actual: Buffer;
  readonly teamId: string | null;
  /** What the line says of a stretch of the access log, if it seals one. */
  readonly sealed: unknown;
}

/** The next lines of the chain, each with the digest that its content has now. */
export async function nextLinks(
  tx: Tx,
  { orgId, after, limit }: { orgId: string; after: number; limit: number },
): Promise<Link[]> {
  const { rows } = await sql<Link>`
    select a.id, a.position, a.previous, a.digest, aliquot_deed_digest(a) as actual, a.team_id as "teamId",
      case when a.action = 'access_log.sealed' then a.after end as sealed
    from audit_log a where a.org_id = ${orgId} and a.position > ${after}
    order by a.position limit ${limit}`.execute(tx);
  return rows;
}

/** The first line behind the head, of which the head does not know. Both are of one snapshot. */
export async function findBehindHead(
  tx: Tx,
  orgId: string,
): Promise<Pick<Link, 'id' | 'position'> | undefined> {
  const { rows } = await sql<Pick<Link, 'id' | 'position'>>`
    select a.id, a.position from audit_log a left join audit_head h on h.org_id = a.org_id
    where a.org_id = ${orgId} and a.position > coalesce(h.position, 0)
    order by a.position limit 1`.execute(tx);
  return rows[0];
}
