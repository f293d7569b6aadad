import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { MEMBER_ACTOR } from './audit.ts';
import { invalidKeyError } from './failed-authentication-limiter.ts';

/** Who made something that works without them, by the id that the audit log has. */
interface MakerQuery {
  readonly orgId: string;
  readonly actor: string;
  /** In system time. */
  readonly now: Date;
}

/**
 * The privileges of a management key or member as a text that changes with them; undefined for a key that was revoked
 * or has expired, and for a member that was removed or deactivated. What was made with other privileges no longer works.
 */
export async function findPrivileges(tx: Tx, maker: MakerQuery): Promise<string | undefined> {
  const { orgId, actor, now } = maker;
  if (actor.startsWith(MEMBER_ACTOR)) {
    const member = await tx
      .selectFrom('organization_member')
      .select(
        sql<string>`md5((jsonb_build_array(role, team_ids, is_owner, roles) ||
          case when directory_roles = '[]' then '[]' else jsonb_build_array(directory_roles) end)::text)`.as(
          'privileges',
        ),
      )
      .where('org_id', '=', orgId)
      .where('id', '=', actor.slice(MEMBER_ACTOR.length))
      .where('deactivated_at', 'is', null)
      .executeTakeFirst();
    return member?.privileges;
  }
  const key = await tx
    .selectFrom('management_key')
    .select('role')
    .where('org_id', '=', orgId)
    .where('id', '=', actor)
    .where('deleted_at', 'is', null)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
    .executeTakeFirst();
  return key?.role;
}

/** The same for the caller of a request; 401 where its key or membership ended since it was authenticated. */
export async function requirePrivileges(tx: Tx, maker: MakerQuery): Promise<string> {
  const privileges = await findPrivileges(tx, maker);
  if (privileges === undefined) throw invalidKeyError();
  return privileges;
}
