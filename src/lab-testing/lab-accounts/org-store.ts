import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { Environment } from '../../platform/tenant.ts';
import type { LabAccount, LabAccountStatus } from './schema.ts';
import { toLabAccount } from './store.ts';

/** An organization's accounts of one environment. */
export interface OrgAccounts {
  readonly orgId: string;
  readonly environment: Environment;
}

export interface OrgAccountFilter {
  readonly id?: string | null | undefined;
  /** Open to this team. */
  readonly teamId?: string | null | undefined;
  readonly status?: LabAccountStatus | null | undefined;
}

/** The organization's accounts with their whole allowlist, oldest first. */
export async function listOrgAccounts(
  tx: Tx,
  { orgId, environment }: OrgAccounts,
  filter: OrgAccountFilter,
): Promise<LabAccount[]> {
  let query = tx
    .selectFrom('lab_account')
    .selectAll('lab_account')
    .select(allowlist.as('team_ids'))
    .where('org_id', '=', orgId)
    .where('environment', '=', environment);
  if (filter.id) query = query.where('id', '=', filter.id);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.teamId) query = query.where(allowed(filter.teamId));
  const rows = await query.orderBy('created_at').orderBy('id').execute();
  return rows.map((row) => toLabAccount(row, row.team_ids));
}

const allowlist = sql<string[]>`array(
  select team_id from lab_account_team as open_to
  where open_to.lab_account_id = lab_account.id order by team_id)`;

const allowed = (teamId: string) => sql<boolean>`exists (
  select from lab_account_team as open_to
  where open_to.lab_account_id = lab_account.id and open_to.team_id = ${teamId})`;

/** Those of the ids that are teams of the organization and were not deleted. */
export async function listTeamsAmong(tx: Tx, orgId: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from team where org_id = ${orgId} and deleted_at is null and id = any(${[...ids]}::uuid[])`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

/** The account, locked until the transaction ends, so that two changes of its allowlist follow each other. */
export async function lockAccount(tx: Tx, { orgId, environment }: OrgAccounts, id: string): Promise<void> {
  await tx
    .selectFrom('lab_account')
    .select('id')
    .where('org_id', '=', orgId)
    .where('environment', '=', environment)
    .where('id', '=', id)
    .forUpdate()
    .execute();
}

export interface Allowlist extends OrgAccounts {
  readonly id: string;
  readonly teamIds: readonly string[];
  readonly at: Date;
}

/** Opens the account to these teams and to no other. */
export async function replaceAllowlist(
  tx: Tx,
  { orgId, environment, id, teamIds, at }: Allowlist,
): Promise<void> {
  await tx.deleteFrom('lab_account_team').where('lab_account_id', '=', id).execute();
  const rows = teamIds.map((team_id) => ({ team_id, environment, lab_account_id: id, org_id: orgId }));
  if (rows.length > 0) await tx.insertInto('lab_account_team').values(rows).execute();
  await tx.updateTable('lab_account').set({ updated_at: at }).where('id', '=', id).execute();
}
