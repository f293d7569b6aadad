import { sql, type Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import { tenantColumns } from '../platform/db/tenant-rows.ts';
import type { Environment, Tenant } from '../platform/tenant.ts';
import './table.ts';

export type CredentialRow = Selectable<Database['provider_credential']>;

interface CredentialPage {
  readonly orgId: string;
  readonly environment: Environment;
  /** Null: all teams of the organization. */
  readonly teamIds: readonly string[] | null;
  readonly source: string | undefined;
  readonly ids?: readonly string[];
  readonly after: string | undefined;
  readonly limit: number;
}

/** The credentials of an organization, without deleted teams, oldest first. */
export function listCredentials(tx: Tx, page: CredentialPage): Promise<CredentialRow[]> {
  const { teamIds, source, ids, after } = page;
  let query = tx
    .selectFrom('provider_credential as c')
    .innerJoin('team as t', 't.id', 'c.team_id')
    .selectAll('c')
    .where('t.org_id', '=', page.orgId)
    .where('t.deleted_at', 'is', null)
    .where('c.environment', '=', page.environment);
  if (teamIds) query = query.where('c.team_id', '=', sql<string>`any(${[...teamIds]}::uuid[])`);
  if (ids) query = query.where('c.id', '=', sql<string>`any(${[...ids]}::uuid[])`);
  if (source !== undefined) query = query.where('c.source', '=', source);
  if (after !== undefined) query = query.where('c.id', '>', after);
  return query.orderBy('c.id').limit(page.limit).execute();
}

export const findCredential = (tx: Tx, tenant: Tenant, source: string): Promise<CredentialRow | undefined> =>
  tx
    .selectFrom('provider_credential')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('source', '=', source)
    .executeTakeFirst();

/** The sources for which the tenant has credentials. */
export const listSources = (tx: Tx, tenant: Tenant): Promise<{ source: string }[]> =>
  tx
    .selectFrom('provider_credential')
    .select('source')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .orderBy('source')
    .execute();

/** Inserts a credential, or updates the one of the same source, which keeps its id and creation time. */
export const upsertCredential = (
  tx: Tx,
  tenant: Tenant,
  row: { id: string; source: string; private: Buffer; at: Date },
): Promise<CredentialRow> =>
  tx
    .insertInto('provider_credential')
    .values({
      ...tenantColumns(tenant),
      id: row.id,
      source: row.source,
      private: row.private,
      created_at: row.at,
      updated_at: row.at,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'environment', 'source'])
        .doUpdateSet({ private: row.private, updated_at: row.at }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();

export async function deleteCredential(tx: Tx, tenant: Tenant, id: string): Promise<void> {
  await tx
    .deleteFrom('provider_credential')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}
