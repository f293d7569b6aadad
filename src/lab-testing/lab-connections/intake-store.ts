import { sql, type Insertable } from 'kysely';
import { DAY, later } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { MessageRow } from './message-store.ts';

export type ArrivedRow = Omit<MessageRow, 'attempts' | 'redacted_at' | 'redaction'>;

const keyOf = (row: Pick<ArrivedRow, 'connection_id' | 'control_id' | 'digest'>) =>
  `${row.connection_id}/${row.digest.toString('hex')}/${row.control_id}`;

/** What is known of a message that came before. */
export type Known = Pick<MessageRow, 'id' | 'status' | 'reason' | 'answer'>;

/**
 * Keeps messages of whichever tenants in one statement; for the system. Answers, one for each, what came before under
 * the same control id with the same content, or undefined where the message is new.
 */
export async function insertArrived(tx: Tx, rows: readonly ArrivedRow[]): Promise<(Known | undefined)[]> {
  const inserted = await tx
    .insertInto('lab_message')
    .values([...rows])
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute();
  const isNew = new Set(inserted.map(({ id }) => id));
  if (isNew.size === rows.length) return rows.map(() => undefined);
  const known = new Map<string, Known>();
  for (const row of rows.filter(({ id }) => !isNew.has(id))) {
    const before = await findArrived(tx, row);
    if (before) known.set(keyOf(row), before);
  }
  return rows.map((row) => (isNew.has(row.id) ? undefined : known.get(keyOf(row))));
}

const findArrived = (tx: Tx, row: ArrivedRow): Promise<Known | undefined> =>
  tx
    .selectFrom('lab_message')
    .select(['id', 'status', 'reason', 'answer'])
    .where('team_id', '=', row.team_id)
    .where('environment', '=', row.environment)
    .where('connection_id', '=', row.connection_id)
    .where('direction', '=', 'in')
    .where('control_id', '=', row.control_id)
    .where('digest', '=', row.digest)
    .executeTakeFirst();

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
