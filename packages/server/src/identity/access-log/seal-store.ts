import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { Environment } from '../../platform/tenant.ts';
import './table.ts';

/** The newest assigned position, and the transactions at the time right after it was read. */
export interface SealSnapshot {
  readonly place: number;
  /** The oldest transaction in progress. */
  readonly oldest: number;
  /** The next transaction id to be assigned. */
  readonly next: number;
}

/** Reads the position first, so every transaction that holds this position or a lower one began before `next`. */
export async function readSealSnapshot(tx: Tx): Promise<SealSnapshot> {
  const given = await sql<{ place: number }>`select last_value as place from access_log_place_seq`.execute(
    tx,
  );
  const seen = await sql<{ oldest: number; next: number }>`
    select pg_snapshot_xmin(s)::text::bigint as oldest, pg_snapshot_xmax(s)::text::bigint as next
    from pg_current_snapshot() s`.execute(tx);
  const [place, transactions] = [given.rows[0], seen.rows[0]];
  if (!place || !transactions) throw new Error('The database returned no transaction snapshot');
  return { ...place, ...transactions };
}

/** Serializes sealers until the transaction ends. Returns the position up to which everything is sealed. */
export async function lockSealedPosition(tx: Tx): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended('aliquot.access-log-seal', 0))`.execute(tx);
  const { rows } = await sql<{ place: number }>`
    select coalesce(max(sealed_to), 0) as place from access_log_seal`.execute(tx);
  return rows[0]?.place ?? 0;
}

/** The position of the first entry after `after` and up to `upTo`. */
export async function findFirstPosition(
  tx: Tx,
  { after, upTo }: { after: number; upTo: number },
): Promise<number | null> {
  const { rows } = await sql<{ place: number | null }>`
    select min(place) as place from access_log where place > ${after} and place <= ${upTo}`.execute(tx);
  return rows[0]?.place ?? null;
}

interface UnsealedRange {
  readonly team_id: string;
  readonly environment: Environment;
  readonly org_id: string;
  readonly after: number;
  readonly lines: number;
  readonly digest: string;
}

/** The unsealed entries up to `to` of every tenant with entries after `after`, ordered by organization. */
export async function listUnsealedRanges(
  tx: Tx,
  { after, to }: { after: number; to: number },
): Promise<UnsealedRange[]> {
  const { rows } = await sql<UnsealedRange>`
    select n.team_id, n.environment, t.org_id, n.after, d.lines, d.digest
    from (
      select l.team_id, l.environment, coalesce(max(s.sealed_to), 0) as after
      from access_log l
      left join access_log_seal s on s.team_id = l.team_id and s.environment = l.environment
      where l.place > ${after} and l.place <= ${to}
      group by 1, 2
    ) n
    join team t on t.id = n.team_id,
    lateral aliquot_access_digest(n.team_id, n.environment, n.after, ${to}) d
    order by t.org_id, n.team_id, n.environment`.execute(tx);
  return rows;
}

export async function advanceSeals(tx: Tx, stretches: readonly UnsealedRange[], to: number): Promise<void> {
  await sql`
    insert into access_log_seal (team_id, environment, sealed_to)
    select team_id, environment, ${to} from unnest(
      ${stretches.map(({ team_id: id }) => id)}::uuid[],
      ${stretches.map(({ environment }) => environment)}::text[]) as s (team_id, environment)
    on conflict (team_id, environment) do update set sealed_to = excluded.sealed_to`.execute(tx);
}

/** The current count and digest of a range of a tenant's entries. */
export async function digestRange(
  tx: Tx,
  { teamId, environment, after, to }: { teamId: string; environment: string; after: number; to: number },
): Promise<{ lines: number; digest: string } | undefined> {
  const { rows } = await sql<{ lines: number; digest: string }>`
    select lines, digest from aliquot_access_digest(${teamId}, ${environment}, ${after}, ${to})`.execute(tx);
  return rows[0];
}
