import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import type { ActivityDay } from '../daily/daily.ts';
import './table.ts';

/** Waits for other transactions that derive the activity of this user, until the end of this one. */
export async function lockActivity({ tx }: Work, userId: string): Promise<void> {
  const lock = `aliquot.activity.${userId.toLowerCase()}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
}

/** The days of which the activity of a provider is to be derived. */
export interface ProviderDays {
  readonly provider: string;
  readonly days: readonly ActivityDay[];
}

/** Records days to be derived later; a day that is recorded already stays as it is. */
export async function insertDueActivities(
  { tx, tenant }: Work,
  userId: string,
  { provider, days }: ProviderDays,
): Promise<void> {
  const [names, starts] = [days.map(({ day }) => day), days.map(({ from }) => new Date(from))];
  await sql`
    insert into due_activity (team_id, environment, user_id, provider, day, from_at)
    select ${tenant.teamId}::uuid, ${tenant.environment}, ${userId}::uuid, ${provider}, d.*
    from unnest(${names}::date[], ${starts}::timestamptz[]) as d
    on conflict do nothing`.execute(tx);
}

/** Deletes and returns the newest due days of one provider, at most `limit`; undefined if there are none. */
export async function takeDueActivities(
  { tx, tenant }: Work,
  userId: string,
  limit: number,
): Promise<ProviderDays | undefined> {
  const { rows } = await sql<{ provider: string; day: string; from_at: Date }>`
    delete from due_activity d using (
      select provider, day from due_activity
      where team_id = ${tenant.teamId} and environment = ${tenant.environment} and user_id = ${userId}
        and provider = (select min(provider) from due_activity
          where team_id = ${tenant.teamId} and environment = ${tenant.environment} and user_id = ${userId})
      order by day desc limit ${limit}) as newest
    where d.team_id = ${tenant.teamId} and d.environment = ${tenant.environment} and d.user_id = ${userId}
      and d.provider = newest.provider and d.day = newest.day
    returning d.provider, d.day, d.from_at`.execute(tx);
  const [first] = rows;
  const days = rows.map(({ day, from_at: from }) => ({ day, from: from.getTime() }));
  return first && { provider: first.provider, days };
}
