import { sql, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

export type SavedViewRow = Omit<Selectable<Database['saved_view']>, 'team_id' | 'environment' | 'member_id'>;

const viewsOf = ({ tx, tenant }: Work, ownerId: string) =>
  tx
    .selectFrom('saved_view')
    .select(['id', 'owner_id', 'page', 'document', 'created_at', 'updated_at'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('owner_id', '=', ownerId);

/** The views of an owner, oldest first; an owner has a limited number. */
export function listViews(work: Work, ownerId: string, page: string | undefined): Promise<SavedViewRow[]> {
  const query = viewsOf(work, ownerId);
  return (page === undefined ? query : query.where('page', '=', page)).orderBy('id').execute();
}

export const findView = (work: Work, ownerId: string, id: string): Promise<SavedViewRow | undefined> =>
  viewsOf(work, ownerId).where('id', '=', id).forUpdate().executeTakeFirst();

/** Counts the views of an owner, and keeps others from adding one until the transaction ends. */
export async function lockAndCountViews(work: Work, ownerId: string): Promise<number> {
  const lock = `saved-views/${work.tenant.teamId}/${work.tenant.environment}/${ownerId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(work.tx);
  return (await viewsOf(work, ownerId).execute()).length;
}

export async function insertView(
  { tx, tenant }: Work,
  row: SavedViewRow & { member_id: string | null },
): Promise<void> {
  await tx
    .insertInto('saved_view')
    .values({ ...tenantColumns(tenant), ...row })
    .execute();
}

export async function updateView(
  { tx, tenant }: Work,
  { id, document, updated_at }: Pick<SavedViewRow, 'id' | 'document' | 'updated_at'>,
): Promise<void> {
  await tx
    .updateTable('saved_view')
    .set({ document, updated_at })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}

export async function deleteView({ tx, tenant }: Work, id: string): Promise<void> {
  await tx
    .deleteFrom('saved_view')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}
