import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { Environment } from '../../platform/tenant.ts';
import './table.ts';

/** The newest assigned position, and the transactions that may hold it or an earlier one. */
interface SealSnapshot {
  readonly place: number;
  readonly writers: readonly string[];
}

/** Reads the position first: a transaction locks the table before it takes a position. */
export async function readSealSnapshot(tx: Tx): Promise<SealSnapshot> {
  const { rows } = await sql<{ place: number }>`select last_value as place from access_log_place_seq`.execute(
    tx,
  );
  const place = rows[0]?.place;
  if (place === undefined) throw new Error('The sequence of the access log is missing');
  return { place, writers: await listWriters(tx) };
}

/** The open transactions that have inserted entries. One that is missing later has ended, and what it did is visible. */
export async function listWriters(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ writer: string }>`
    select virtualtransaction as writer from pg_locks
    where database = (select oid from pg_database where datname = current_database())
      and relation = 'access_log'::regclass and mode = 'RowExclusiveLock' and granted`.execute(tx);
  return rows.map(({ writer }) => writer);
}

/** Whether there is an unsealed entry with a timestamp before `from` or after `to`. */
export async function hasUnsealedEntryOutside(
  tx: Tx,
  { from, to }: { from: Date; to: Date },
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from access_log
      where place > (select coalesce(max(sealed_to), 0) from access_log_seal)
        and (at <= ${from} or at > ${to})) as found`.execute(tx);
  return rows[0]?.found === true;
}

/**
 * Serializes sealers until the transaction ends. Returns the position up to which everything is sealed. The idle
 * timeout ends the session of a process that hangs, because the others wait for it.
 */
export async function lockSealedPosition(tx: Tx): Promise<number> {
  await sql`select set_config('idle_in_transaction_session_timeout', '10s', true),
    pg_advisory_xact_lock(hashtextextended('aliquot.access-log-seal', 0))`.execute(tx);
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

export interface UnsealedRange {
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

/** Returns the key that encrypts the positions of each tenant. */
export async function advanceSeals(
  tx: Tx,
  stretches: readonly UnsealedRange[],
  to: number,
): Promise<(tenant: AccessLogOfTenant) => Buffer> {
  const { rows } = await sql<AccessLogOfTenant & { position_key: Buffer }>`
    insert into access_log_seal (team_id, environment, sealed_to)
    select team_id, environment, ${to} from unnest(
      ${stretches.map(({ team_id: id }) => id)}::uuid[],
      ${stretches.map(({ environment }) => environment)}::text[]) as s (team_id, environment)
    on conflict (team_id, environment) do update set sealed_to = excluded.sealed_to
    returning team_id, environment, position_key`.execute(tx);
  const keys = new Map(rows.map((row) => [tenantKeyOf(row), row.position_key]));
  return (tenant) => {
    const key = keys.get(tenantKeyOf(tenant));
    if (!key) throw new Error('A sealed position was not stored');
    return key;
  };
}

const tenantKeyOf = ({ team_id: id, environment }: AccessLogOfTenant): string => `${id}/${environment}`;

/** The key that encrypts the positions in the seals of a tenant; undefined where nothing is sealed. */
export async function findPositionKey(
  tx: Tx,
  { teamId, environment }: { teamId: string; environment: string },
): Promise<Buffer | undefined> {
  const { rows } = await sql<{ position_key: Buffer }>`
    select position_key from access_log_seal
    where team_id = ${teamId} and environment = ${environment}`.execute(tx);
  return rows[0]?.position_key;
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

export interface AccessLogOfTenant {
  readonly team_id: string;
  readonly environment: string;
}

interface SealedPosition extends AccessLogOfTenant {
  readonly sealed_to: number | null;
  readonly position_key: Buffer | null;
  /** The end of the newest seal in the audit log, as it is written there. */
  readonly newest: unknown;
}

/** The stored sealed positions of an organization, each with the newest seal. One of both may be missing. */
export async function listSealedPositions(tx: Tx, orgId: string): Promise<SealedPosition[]> {
  const { rows } = await sql<SealedPosition>`
    with stored as (
      select s.team_id, s.environment, s.sealed_to, s.position_key from access_log_seal s
      join team t on t.id = s.team_id where t.org_id = ${orgId}),
    newest as (
      select distinct on (1, 2) team_id, after->>'environment' as environment, after->'to' as newest
      from audit_log where org_id = ${orgId} and action = 'access_log.sealed' order by 1, 2, position desc)
    select team_id, environment, stored.sealed_to, stored.position_key, newest.newest
    from stored full join newest using (team_id, environment)
    order by team_id, environment`.execute(tx);
  return rows;
}

interface UnsealedEntries extends AccessLogOfTenant {
  readonly lines: number;
  /** The number of entries at positions that earlier seals have passed. */
  readonly added: number;
  readonly first: number;
  readonly oldest: Date;
}

/** The entries of an organization that no seal covers, of one row for each tenant. */
export async function listUnsealedEntries(tx: Tx, orgId: string): Promise<UnsealedEntries[]> {
  const { rows } = await sql<UnsealedEntries>`
    with sealed as (select coalesce(max(sealed_to), 0) as place from access_log_seal)
    select l.team_id, l.environment, count(*) as lines, min(l.place) as first, min(l.at) as oldest,
      count(*) filter (where l.place <= sealed.place) as added
    from team t
    join access_log l on l.team_id = t.id
    left join access_log_seal s on s.team_id = l.team_id and s.environment = l.environment, sealed
    where t.org_id = ${orgId} and (l.place > coalesce(s.sealed_to, 0) or l.place < 1)
    group by 1, 2 order by 1, 2`.execute(tx);
  return rows;
}
