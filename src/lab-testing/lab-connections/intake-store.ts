import { sql, type Insertable } from 'kysely';
import { DAY, later } from '../../platform/clock.ts';
import { executeOn } from '../../platform/db/hand.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { insertText } from '../../platform/db/deferred.ts';
import { insertRow } from '../../platform/db/insert-row.ts';
import { readyQuery } from '../../platform/db/ready-query.ts';
import type { MessageRow } from './message-store.ts';

export type ArrivedRow = Omit<MessageRow, 'attempts' | 'redacted_at' | 'redaction'>;

/** What is known of a message that came before. */
export type Known = Pick<MessageRow, 'id' | 'status' | 'reason' | 'answer'>;

/**
 * Keeps messages of whichever tenants in one statement; for the system. Answers, one for each, what came before under
 * the same control id with the same content, or undefined where the message is new.
 */
export async function insertArrived(tx: Tx, rows: readonly ArrivedRow[]): Promise<(Known | undefined)[]> {
  const { sql: insert, parameters } = insertText(
    rows.flatMap((row) => insertRow('lab_message', row).row ?? []),
  );
  const inserted = await executeOn<Pick<MessageRow, 'id'>>(tx, {
    sql: `${insert} on conflict do nothing returning id`,
    parameters,
  });
  const isNew = new Set(inserted.rows.map(({ id }) => id));
  if (isNew.size === rows.length) return rows.map(() => undefined);
  const known = await findArrived(tx, rows);
  return rows.map(({ id }, index) => (isNew.has(id) ? undefined : known[index]));
}

/** What came before in the stead of each of these messages, if anything did. */
export async function findArrived(tx: Tx, rows: readonly ArrivedRow[]): Promise<(Known | undefined)[]> {
  const found = await arrived(tx, {
    teams: rows.map((row) => row.team_id),
    environments: rows.map((row) => row.environment),
    connections: rows.map((row) => row.connection_id),
    controlIds: rows.map((row) => row.control_id),
    digests: rows.map((row) => row.digest),
  });
  const known = new Map(found.map(({ place, ...one }) => [place, one]));
  return rows.map((_, index) => known.get(index + 1));
}

interface Names {
  readonly teams: readonly string[];
  readonly environments: readonly string[];
  readonly connections: readonly string[];
  readonly controlIds: readonly string[];
  readonly digests: readonly Buffer[];
}

interface Wanted {
  team: string;
  environment: string;
  connection: string;
  control_id: string;
  digest: Buffer;
  place: number;
}

/** Each looked up by itself: joined, they might be compared with whatever the connection ever brought. */
const arrived = readyQuery((tx, { teams, environments, connections, controlIds, digests }: Names) =>
  tx
    .selectFrom(
      sql<Wanted>`unnest(${teams}::uuid[], ${environments}::text[], ${connections}::uuid[],
        ${controlIds}::text[], ${digests}::bytea[]) with ordinality`.as<'wanted'>(
        sql`wanted (team, environment, connection, control_id, digest, place)`,
      ),
    )
    .crossJoinLateral((join) =>
      join
        .selectFrom('lab_message as m')
        .select(['m.id', 'm.status', 'm.reason', 'm.answer'])
        .whereRef('m.team_id', '=', 'wanted.team')
        .whereRef('m.environment', '=', 'wanted.environment')
        .whereRef('m.connection_id', '=', 'wanted.connection')
        .where('m.direction', '=', 'in')
        .whereRef('m.control_id', '=', 'wanted.control_id')
        .whereRef('m.digest', '=', 'wanted.digest')
        .limit(1)
        .as('known'),
    )
    .select(['wanted.place', 'known.id', 'known.status', 'known.reason', 'known.answer']),
);

export type UnclaimedRow = Insertable<Database['lab_unclaimed_message']>;

const UNCLAIMED_DAYS = 90;
/** A stranger who can reach the listener must not fill the disk. */
const UNCLAIMED_MAX = 10_000;
const UNCLAIMED_MAX_BYTES = 1024 ** 3;

/** How much more of what belongs to nobody may be kept; lets go of what nobody asked for in a long time. */
export async function roomForUnclaimed(tx: Tx, now: Date): Promise<{ count: number; bytes: number }> {
  await tx
    .deleteFrom('lab_unclaimed_message')
    .where('created_at', '<', later(now, -UNCLAIMED_DAYS * DAY))
    .execute();
  const kept = await tx
    .selectFrom('lab_unclaimed_message')
    .select((rows) => [
      rows.fn.countAll<number>().as('count'),
      sql<number>`coalesce(sum(size_bytes), 0)::float8`.as('bytes'),
    ])
    .executeTakeFirstOrThrow();
  return { count: UNCLAIMED_MAX - kept.count, bytes: UNCLAIMED_MAX_BYTES - kept.bytes };
}

/** Keeps what belongs to nobody; the same bytes once. */
export async function insertUnclaimed(tx: Tx, row: UnclaimedRow): Promise<void> {
  await tx
    .insertInto('lab_unclaimed_message')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
