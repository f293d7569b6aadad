import { sql, type Insertable, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { precompileQuery } from '../../platform/db/precompiled-query.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { LabSlug } from '../catalog/schema.ts';
import type { LabAccount, LabAccountStatus } from './schema.ts';
import type {} from './table.ts';

interface LabAccountFilter {
  readonly id?: string | null | undefined;
  readonly labSlug?: string;
  readonly status?: LabAccountStatus | null | undefined;
}

/** The accounts that the team may order through, oldest first. */
export async function listLabAccounts({ tx, tenant }: Work, filter: LabAccountFilter): Promise<LabAccount[]> {
  let query = selectAccounts(tx, tenant);
  if (filter.id) query = query.where('account.id', '=', filter.id);
  if (filter.labSlug !== undefined) query = query.where('account.lab', '=', sql<LabSlug>`${filter.labSlug}`);
  if (filter.status) query = query.where('account.status', '=', filter.status);
  const rows = await query.execute();
  return rows.map((row) => toLabAccount(row, [tenant.teamId]));
}

const selectAccounts = (tx: Work['tx'], tenant: Tenant) =>
  tx
    .selectFrom('lab_account_team as allowed')
    .innerJoin('lab_account as account', 'account.id', 'allowed.lab_account_id')
    .where('allowed.team_id', '=', tenant.teamId)
    .where('allowed.environment', '=', tenant.environment)
    .selectAll('account')
    .orderBy('account.created_at')
    .orderBy('account.id');

const readActiveAccounts = precompileQuery((tx, tenant: Tenant) =>
  selectAccounts(tx, tenant).where('account.status', '=', 'active'),
);

/** The active ones; a prepared query, since every order reads them. */
export async function listActiveAccounts({ tx, tenant }: Work): Promise<LabAccount[]> {
  return (await readActiveAccounts(tx, tenant)).map((row) => toLabAccount(row, [tenant.teamId]));
}

/** `teamIds` is the part of the allowlist that the reader may see: a team sees only itself. */
export const toLabAccount = (
  row: Selectable<Database['lab_account']>,
  teamIds: readonly string[],
): LabAccount => ({
  id: row.id,
  orgId: row.org_id,
  labSlug: row.lab,
  status: row.status,
  delegatedFlow: row.delegated_flow,
  providerAccountId: row.provider_account_id,
  accountName: row.account_name,
  defaultClinicalNotes: row.default_clinical_notes,
  businessUnits: row.business_units,
  allowedBilling: row.allowed_billing,
  teamIds,
  createdAt: row.created_at,
});

type NewLabAccount = Omit<LabAccount, 'orgId' | 'teamIds' | 'createdAt'>;

/** Inserts accounts of the team's organization with only this team on their allowlist. */
export async function insertLabAccounts(work: Work, accounts: readonly NewLabAccount[]): Promise<void> {
  if (accounts.length === 0) return;
  const { tx, tenant } = work;
  const orgId = await getOrgOfTeam(work);
  // Without RETURNING: row-level security hides the accounts until the allowlist contains the team.
  await tx
    .insertInto('lab_account')
    .values(accounts.map((account) => toLabAccountRow(work, orgId, account)))
    .execute();
  const allowed = accounts.map(({ id }) => ({ ...tenantColumns(tenant), lab_account_id: id, org_id: orgId }));
  await tx.insertInto('lab_account_team').values(allowed).execute();
}

async function getOrgOfTeam({ tx, tenant }: Work): Promise<string> {
  const { rows } = await sql<{ org_id: string }>`select org_id from team where id = ${tenant.teamId}`.execute(
    tx,
  );
  if (!rows[0]) throw new Error(`Team ${tenant.teamId} not found`);
  return rows[0].org_id;
}

const toLabAccountRow = (
  { tenant, now }: Work,
  orgId: string,
  account: NewLabAccount,
): Insertable<Database['lab_account']> => ({
  id: account.id,
  org_id: orgId,
  environment: tenant.environment,
  lab: account.labSlug,
  status: account.status,
  delegated_flow: account.delegatedFlow,
  provider_account_id: account.providerAccountId,
  account_name: account.accountName,
  default_clinical_notes: account.defaultClinicalNotes,
  business_units: account.businessUnits && [...account.businessUnits],
  allowed_billing: account.allowedBilling,
  created_at: now,
  updated_at: now,
});
