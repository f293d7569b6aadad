import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { IS_OWNER } from '../organizations/organizations.ts';
import './table.ts';

/** Whether an owner has a password and a recovery code that was not used. */
export async function hasOwnerWithoutProvider(tx: Tx, orgId: string): Promise<boolean> {
  const found = await tx
    .selectFrom('organization_member as m')
    .innerJoin('member_password as w', 'w.member_id', 'm.id')
    .innerJoin('member_recovery_code as c', 'c.member_id', 'm.id')
    .select('m.id')
    .where('m.org_id', '=', orgId)
    .where(IS_OWNER)
    .where('m.deactivated_at', 'is', null)
    .where('c.used_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

interface DomainSessions {
  readonly orgId: string;
  readonly domains: readonly string[];
  readonly keptSessionId: string | undefined;
}

/** Ends the sessions and the begun sign-ins, other than by single sign-on, of members with addresses of the domains. */
export async function deleteOtherSessions(
  tx: Tx,
  { orgId, domains, keptSessionId }: DomainSessions,
): Promise<void> {
  const members = tx
    .selectFrom('organization_member')
    .select('id')
    .where('org_id', '=', orgId)
    .where(sql<boolean>`substring(email from '@([^@]+)$') = any(${[...domains]}::text[])`);
  let sessions = tx
    .deleteFrom('member_session')
    .where('method', '!=', 'sso')
    .where('member_id', 'in', members);
  if (keptSessionId !== undefined) sessions = sessions.where('id', '!=', keptSessionId);
  await sessions.execute();
  await tx.deleteFrom('member_pre_session').where('member_id', 'in', members).execute();
}

export async function deleteSingleSignOnSessions(tx: Tx, memberIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('member_session')
    .where('method', '=', 'sso')
    .where('member_id', '=', sql<string>`any(${[...memberIds]}::uuid[])`)
    .execute();
}
