import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { Environment } from '../../platform/tenant.ts';
import type { LabAccount, LabAccountStatus } from './schema.ts';
import { toLabAccount } from './store.ts';

/** Selects an organization's accounts of one environment. */
interface OrgAccountScope {
  readonly orgId: string;
  readonly environment: Environment;
}

interface OrgAccountFilter {
  readonly id?: string | null | undefined;
  /** Open to this team. */
  readonly teamId?: string | null | undefined;
  readonly status?: LabAccountStatus | null | undefined;
}

/** The organization's accounts with their complete allowlists, oldest first. */
export async function listOrgAccounts(
  tx: Tx,
  { orgId, environment }: OrgAccountScope,
  filter: OrgAccountFilter,
): Promise<LabAccount[]> {
  let query = tx
    .selectFrom('lab_account')
    .selectAll('lab_account')
    .select(selectAllowlist.as('team_ids'))
    .where('org_id', '=', orgId)
    .where('environment', '=', environment);
  if (filter.id) query = query.where('id', '=', filter.id);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.teamId) query = query.where(isOpenToTeam(filter.teamId));
  const rows = await query.orderBy('created_at').orderBy('id').execute();
  return rows.map((row) => toLabAccount(row, row.team_ids));
}

const selectAllowlist = sql<string[]>`array(
  select team_id from lab_account_team as open_to
  where open_to.lab_account_id = lab_account.id order by team_id)`;

const isOpenToTeam = (teamId: string) => sql<boolean>`exists (
  select from lab_account_team as open_to
  where open_to.lab_account_id = lab_account.id and open_to.team_id = ${teamId})`;

/** The ids that belong to existing, not deleted teams of the organization. */
export async function filterExistingTeams(tx: Tx, orgId: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from team where org_id = ${orgId} and deleted_at is null and id = any(${[...ids]}::uuid[])`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

/** Locks the account until the transaction ends, which serializes changes of its allowlist. */
export async function lockAccount(
  tx: Tx,
  { orgId, environment }: OrgAccountScope,
  id: string,
): Promise<void> {
  await tx
    .selectFrom('lab_account')
    .select('id')
    .where('org_id', '=', orgId)
    .where('environment', '=', environment)
    .where('id', '=', id)
    .forUpdate()
    .execute();
}

interface TeamAllowlistUpdate extends OrgAccountScope {
  readonly id: string;
  readonly teamIds: readonly string[];
  readonly at: Date;
}

/** Replaces the allowlist with these teams. */
export async function replaceAllowlist(
  tx: Tx,
  { orgId, environment, id, teamIds, at }: TeamAllowlistUpdate,
): Promise<void> {
  await tx.deleteFrom('lab_account_team').where('lab_account_id', '=', id).execute();
  const rows = teamIds.map((team_id) => ({ team_id, environment, lab_account_id: id, org_id: orgId }));
  if (rows.length > 0) await tx.insertInto('lab_account_team').values(rows).execute();
  await tx.updateTable('lab_account').set({ updated_at: at }).where('id', '=', id).execute();
}
