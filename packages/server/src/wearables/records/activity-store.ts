import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import type { Summary } from './record.ts';
import { COLUMNS, decryptSummary, selectActive } from './store.ts';

interface ActivityDaysQuery {
  readonly userId: string;
  readonly provider: string;
  /** Days as `YYYY-MM-DD`, in any order. */
  readonly days: readonly string[];
}

/** The activity summaries that a provider has on these days. */
export async function listActivityOfDays(
  work: Work,
  { userId, provider, days }: ActivityDaysQuery,
): Promise<Summary[]> {
  if (days.length === 0) return [];
  const rows = await selectActive(work)
    .select(COLUMNS)
    .select('s.body')
    .where('s.user_id', '=', userId)
    .where('s.resource', '=', 'activity')
    .where('s.day', '=', sql<string>`any(${[...new Set(days)]}::date[])`)
    .where('s.provider', '=', provider)
    .orderBy('s.day')
    .orderBy('s.id')
    .execute();
  return rows.map((row) => decryptSummary(work, row));
}
