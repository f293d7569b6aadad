import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';

/** Waits for other transactions that derive the activity of this user, until the end of this one. */
export async function lockActivity({ tx }: Work, userId: string): Promise<void> {
  const lock = `aliquot.activity.${userId.toLowerCase()}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
}
