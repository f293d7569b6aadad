import { sql } from 'kysely';
import { DAY, isoDay, later } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import type { SummaryBody } from './body-schemas.ts';
import { BODY_PLACE, type StartedWorkoutsQuery } from './store.ts';
import './table.ts';

const selectSummaries = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('wearable_summary')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

/** The stored bodies of summaries. */
export async function listBodies(
  work: Work,
  ids: readonly string[],
): Promise<{ id: string; body: SummaryBody }[]> {
  if (ids.length === 0) return [];
  const rows = await selectSummaries(work)
    .select(['id', 'body'])
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute();
  return rows.map(({ id, body }) => ({ id, body: JSON.parse(work.cipher.open(body, BODY_PLACE)) }));
}

/** Records that the provider's details of these summaries were requested. */
export async function markDetailed({ tx, tenant }: Work, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('wearable_summary')
    .set({ is_detailed: true })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .where('is_detailed', '=', false)
    .execute();
}

/** The provider ids of a user's workouts whose details were requested. */
export async function listDetailed(
  work: Work,
  { userId, provider, from, to }: StartedWorkoutsQuery,
): Promise<string[]> {
  const rows = await selectSummaries(work)
    .select('key')
    .where('user_id', '=', userId)
    .where('resource', '=', 'workouts')
    // The local day may differ from the UTC day: widen the indexed filter, and decide by timestamp.
    .where('day', '>=', isoDay(later(from, -DAY)))
    .where('day', '<=', isoDay(later(to, DAY)))
    .where('provider', '=', provider)
    .where('at', '>=', from)
    .where('at', '<', to)
    .where('is_detailed', '=', true)
    .execute();
  return rows.map(({ key }) => key);
}
