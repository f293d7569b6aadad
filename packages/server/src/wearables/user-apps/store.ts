import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

export const findKey = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('user_app_key')
    .select(['public_key', 'private'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .executeTakeFirst();

/** Keeps the key of another process that was faster. */
export async function insertKey(
  { tx, tenant, now }: Work,
  { publicKey, sealed }: { publicKey: string; sealed: Buffer },
): Promise<void> {
  await tx
    .insertInto('user_app_key')
    .values({ ...tenantColumns(tenant), public_key: publicKey, private: sealed, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

const refreshTokens = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('issued_token')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('kind', '=', 'app_refresh');

/** A refresh token, also one that has ended, locked until the transaction ends. */
export const lockRefreshToken = (work: Work, id: string) =>
  refreshTokens(work)
    .select(['id', 'ended_at', 'expires_at', 'api_key_id', 'management_key_id', 'member_id'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

/** The newest refresh token of a session that has not ended. */
export const findLiveRefreshToken = (work: Work, sessionId: string) =>
  refreshTokens(work)
    .select('id')
    .where('parent_id', '=', sessionId)
    .where('ended_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Ends one token, or with only the session all of its tokens. */
export async function endTokens(
  { tx, tenant }: Work,
  { sessionId, id }: { sessionId: string; id?: string },
  at: Date,
): Promise<void> {
  let ending = tx
    .updateTable('issued_token')
    .set({ ended_at: at })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('parent_id', '=', sessionId)
    .where('kind', 'in', ['app_access', 'app_refresh'])
    .where('ended_at', 'is', null);
  if (id !== undefined) ending = ending.where('id', '=', id);
  await ending.execute();
}

/** Deletes the used refresh tokens of a session that ended before a time. */
export async function deleteUsedTokens(
  { tx, tenant }: Work,
  { sessionId, before }: { sessionId: string; before: Date },
): Promise<void> {
  await tx
    .deleteFrom('issued_token')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('parent_id', '=', sessionId)
    .where('kind', '=', 'app_refresh')
    .where('ended_at', '<', before)
    .execute();
}
