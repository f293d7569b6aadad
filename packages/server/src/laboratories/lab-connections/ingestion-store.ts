import { sql, type Insertable } from 'kysely';
import { DAY, later } from '../../platform/clock.ts';
import { executeStatement } from '../../platform/db/transaction-connection.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { compileInsert } from '../../platform/db/deferred.ts';
import { insertRow } from '../../platform/db/insert-row.ts';
import { precompileQuery } from '../../platform/db/precompiled-query.ts';
import type { LabMessageRow } from './message-store.ts';

export type IncomingMessageRow = Omit<LabMessageRow, 'attempts' | 'redacted_at' | 'redaction'>;

/** A stored message with the same control id and content. */
export type EarlierMessage = Pick<LabMessageRow, 'id' | 'status' | 'reason' | 'answer'>;

/**
 * Inserts messages of any tenants in one statement; requires a system transaction. Returns, for each message, the
 * stored one with the same control id and content, or undefined if the message is new.
 */
export async function insertIncomingMessages(
  tx: Tx,
  rows: readonly IncomingMessageRow[],
): Promise<(EarlierMessage | undefined)[]> {
  const { sql: insert, parameters } = compileInsert(
    rows.flatMap((row) => insertRow('lab_message', row).row ?? []),
  );
  const inserted = await executeStatement<Pick<LabMessageRow, 'id'>>(tx, {
    sql: `${insert} on conflict do nothing returning id`,
    parameters,
  });
  const isNew = new Set(inserted.rows.map(({ id }) => id));
  if (isNew.size === rows.length) return rows.map(() => undefined);
  const known = await findEarlierMessages(tx, rows);
  return rows.map(({ id }, index) => (isNew.has(id) ? undefined : known[index]));
}

/** For each message, the stored one with the same control id and content, if any. */
async function findEarlierMessages(
  tx: Tx,
  rows: readonly IncomingMessageRow[],
): Promise<(EarlierMessage | undefined)[]> {
  const found = await readEarlierMessages(tx, {
    teams: rows.map((row) => row.team_id),
    environments: rows.map((row) => row.environment),
    connections: rows.map((row) => row.connection_id),
    controlIds: rows.map((row) => row.control_id),
    digests: rows.map((row) => row.digest),
  });
  const known = new Map(found.map(({ place, ...one }) => [place, one]));
  return rows.map((_, index) => known.get(index + 1));
}

interface MessageIdentities {
  readonly teams: readonly string[];
  readonly environments: readonly string[];
  readonly connections: readonly string[];
  readonly controlIds: readonly string[];
  readonly digests: readonly Buffer[];
}

interface MessageIdentityRow {
  team: string;
  environment: string;
  connection: string;
  control_id: string;
  digest: Buffer;
  place: number;
}

/** Lateral index lookups; a plain join could scan all messages of the connection. */
const readEarlierMessages = precompileQuery(
  (tx, { teams, environments, connections, controlIds, digests }: MessageIdentities) =>
    tx
      .selectFrom(
        sql<MessageIdentityRow>`unnest(${teams}::uuid[], ${environments}::text[], ${connections}::uuid[],
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

export type NewUnclaimedMessage = Insertable<Database['lab_unclaimed_message']>;

const UNCLAIMED_DAYS = 90;
/** Limits, so that an unknown sender cannot fill the disk. */
const UNCLAIMED_MAX = 10_000;
const UNCLAIMED_MAX_BYTES = 1024 ** 3;

/** The remaining capacity for unclaimed messages. Deletes those older than UNCLAIMED_DAYS. */
export async function getUnclaimedCapacity(tx: Tx, now: Date): Promise<{ count: number; bytes: number }> {
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

/** Stores an unclaimed message; equal bytes are stored once. */
export async function insertUnclaimedMessage(tx: Tx, row: NewUnclaimedMessage): Promise<void> {
  await tx
    .insertInto('lab_unclaimed_message')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
