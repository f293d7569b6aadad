import { sql, type Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import type { Environment, Tenant } from '../platform/tenant.ts';
import './table.ts';

export type PullPreferenceRow = Selectable<Database['data_pull_preference']>;

interface PullPreferencePage {
  readonly orgId: string;
  readonly environment: Environment;
  /** Null: all teams of the organization. */
  readonly teamIds: readonly string[] | null;
  readonly providers: readonly string[] | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** The teams that have preferences, by id. */
export async function listTeamsWithPullPreferences(
  tx: Tx,
  page: PullPreferencePage,
): Promise<{ id: string }[]> {
  let query = tx
    .selectFrom('data_pull_preference as p')
    .innerJoin('team as t', 't.id', 'p.team_id')
    .select('t.id')
    .distinct()
    .where('t.org_id', '=', page.orgId)
    .where('t.deleted_at', 'is', null)
    .where('p.environment', '=', page.environment);
  if (page.teamIds) query = query.where('t.id', '=', sql<string>`any(${[...page.teamIds]}::uuid[])`);
  if (page.providers) query = query.where('p.provider', '=', anyOf(page.providers));
  if (page.after !== undefined) query = query.where('t.id', '>', page.after);
  return query.orderBy('t.id').limit(page.limit).execute();
}

const anyOf = (providers: readonly string[]) => sql<string>`any(${[...providers]}::text[])`;

interface PullPreferenceFilter {
  readonly environment: Environment;
  readonly teamIds: readonly string[];
  readonly providers: readonly string[] | undefined;
}

/** The preferences of these teams, by team and provider. */
export function listPullPreferences(
  tx: Tx,
  { environment, teamIds, providers }: PullPreferenceFilter,
): Promise<PullPreferenceRow[]> {
  let query = tx
    .selectFrom('data_pull_preference')
    .selectAll()
    .where('team_id', '=', sql<string>`any(${[...teamIds]}::uuid[])`)
    .where('environment', '=', environment);
  if (providers) query = query.where('provider', '=', anyOf(providers));
  return query.orderBy('team_id').orderBy('provider').execute();
}

export const findPullPreference = (
  tx: Tx,
  tenant: Tenant,
  provider: string,
): Promise<PullPreferenceRow | undefined> =>
  tx
    .selectFrom('data_pull_preference')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('provider', '=', provider)
    .executeTakeFirst();

/** Inserts or replaces preferences. The rows must be unique by tenant and provider. */
export async function upsertPullPreferences(tx: Tx, rows: readonly PullPreferenceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('data_pull_preference')
    .values(rows.map((row) => ({ ...row, overrides: JSON.stringify(row.overrides) })))
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'environment', 'provider']).doUpdateSet((row) => ({
        default_days: row.ref('excluded.default_days'),
        overrides: row.ref('excluded.overrides'),
        updated_at: row.ref('excluded.updated_at'),
      })),
    )
    .execute();
}

export async function deletePullPreferences(
  tx: Tx,
  { environment, teamIds, providers }: PullPreferenceFilter,
): Promise<void> {
  let query = tx
    .deleteFrom('data_pull_preference')
    .where('team_id', '=', sql<string>`any(${[...teamIds]}::uuid[])`)
    .where('environment', '=', environment);
  if (providers) query = query.where('provider', '=', anyOf(providers));
  await query.execute();
}
