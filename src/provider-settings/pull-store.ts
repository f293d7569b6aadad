import { sql, type Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import type { Environment, Tenant } from '../platform/tenant.ts';
import './table.ts';

export type PullRow = Selectable<Database['data_pull_preference']>;

export interface PullPage {
  readonly orgId: string;
  readonly environment: Environment;
  /** Null: all teams of the organization. */
  readonly teamIds: readonly string[] | null;
  readonly providers: readonly string[] | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** The teams that have preferences, by id. */
export async function listTeamsWithPull(tx: Tx, page: PullPage): Promise<{ id: string }[]> {
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

interface Wanted {
  readonly environment: Environment;
  readonly teamIds: readonly string[];
  readonly providers: readonly string[] | undefined;
}

/** What these teams have set, by team and provider. */
export function listPulls(tx: Tx, { environment, teamIds, providers }: Wanted): Promise<PullRow[]> {
  let query = tx
    .selectFrom('data_pull_preference')
    .selectAll()
    .where('team_id', '=', sql<string>`any(${[...teamIds]}::uuid[])`)
    .where('environment', '=', environment);
  if (providers) query = query.where('provider', '=', anyOf(providers));
  return query.orderBy('team_id').orderBy('provider').execute();
}

export const findPull = (tx: Tx, tenant: Tenant, provider: string): Promise<PullRow | undefined> =>
  tx
    .selectFrom('data_pull_preference')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('provider', '=', provider)
    .executeTakeFirst();

/** Writes them, each in place of the one of its tenant and provider; no two are of the same. */
export async function writePulls(tx: Tx, rows: readonly PullRow[]): Promise<void> {
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

export async function deletePulls(tx: Tx, { environment, teamIds, providers }: Wanted): Promise<void> {
  let query = tx
    .deleteFrom('data_pull_preference')
    .where('team_id', '=', sql<string>`any(${[...teamIds]}::uuid[])`)
    .where('environment', '=', environment);
  if (providers) query = query.where('provider', '=', anyOf(providers));
  await query.execute();
}
