import { sql, type Insertable, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { readyQuery } from '../../platform/db/ready-query.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { LabSlug } from '../catalog/schema.ts';
import type { LabAccount, LabAccountStatus } from './schema.ts';
import type {} from './table.ts';

export interface LabAccountFilter {
  readonly id?: string | null | undefined;
  readonly labSlug?: string;
  readonly status?: LabAccountStatus | null | undefined;
}

/** The accounts that the team may order through, oldest first. */
export async function listLabAccounts({ tx, tenant }: Work, filter: LabAccountFilter): Promise<LabAccount[]> {
  let query = accountsOf(tx, tenant);
  if (filter.id) query = query.where('account.id', '=', filter.id);
  if (filter.labSlug !== undefined) query = query.where('account.lab', '=', sql<LabSlug>`${filter.labSlug}`);
  if (filter.status) query = query.where('account.status', '=', filter.status);
  const rows = await query.execute();
  return rows.map((row) => toLabAccount(row, [tenant.teamId]));
}

const accountsOf = (tx: Work['tx'], tenant: Tenant) =>
  tx
    .selectFrom('lab_account_team as allowed')
    .innerJoin('lab_account as account', 'account.id', 'allowed.lab_account_id')
    .where('allowed.team_id', '=', tenant.teamId)
    .where('allowed.environment', '=', tenant.environment)
    .selectAll('account')
    .orderBy('account.created_at')
    .orderBy('account.id');

const activeAccounts = readyQuery((tx, tenant: Tenant) =>
  accountsOf(tx, tenant).where('account.status', '=', 'active'),
);

/** Those among them that are active: what every order asks for. */
export async function listActiveAccounts({ tx, tenant }: Work): Promise<LabAccount[]> {
  return (await activeAccounts(tx, tenant)).map((row) => toLabAccount(row, [tenant.teamId]));
}

/** `teamIds` is as much of the allowlist as the reader may know: a team knows of its own place on it only. */
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

export type NewLabAccount = Omit<LabAccount, 'orgId' | 'teamIds' | 'createdAt'>;

/** Opens accounts of the team's organization, with this team alone on their allowlist. */
export async function insertLabAccounts(work: Work, accounts: readonly NewLabAccount[]): Promise<void> {
  if (accounts.length === 0) return;
  const { tx, tenant } = work;
  const orgId = await orgOfTeam(work);
  // Without RETURNING: the accounts can be read when the allowlist has them, and not before.
  await tx
    .insertInto('lab_account')
    .values(accounts.map((account) => rowOf(work, orgId, account)))
    .execute();
  const allowed = accounts.map(({ id }) => ({ ...tenantColumns(tenant), lab_account_id: id, org_id: orgId }));
  await tx.insertInto('lab_account_team').values(allowed).execute();
}

async function orgOfTeam({ tx, tenant }: Work): Promise<string> {
  const { rows } = await sql<{ org_id: string }>`select org_id from team where id = ${tenant.teamId}`.execute(
    tx,
  );
  if (!rows[0]) throw new Error(`No team ${tenant.teamId}`);
  return rows[0].org_id;
}

const rowOf = (
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
