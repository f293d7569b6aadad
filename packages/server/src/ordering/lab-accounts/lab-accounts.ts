import { DomainError, requireFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Work } from '../../platform/work.ts';
import { listLabAccountTemplates } from '../catalog/catalog.ts';
import type { LabAccount } from './schema.ts';
import * as store from './store.ts';

export type { LabAccount } from './schema.ts';

export interface LabAccountSelection {
  readonly labSlug: string;
  /** The account id in the order request. */
  readonly wantedId?: string | null | undefined;
  readonly billingType: string;
  /** The patient's state, for example `NY`; null if unknown. */
  readonly state: string | null;
  /** Whether a pending account may be requested by id, as order imports do. */
  readonly acceptPending?: boolean;
  /** The team's active accounts, if the caller has already read them. */
  readonly active?: readonly LabAccount[];
}

/** The team's active accounts with all laboratories. */
export const listActiveAccounts = (work: Work): Promise<LabAccount[]> => store.listActiveAccounts(work);

/**
 * Selects the account for an order: the requested one, or the team's active account with the lab. Of several, the
 * first that accepts the billing in the patient's state, else the oldest. Undefined means the platform's own account,
 * which is not delegated.
 */
export async function resolveLabAccount(
  work: Work,
  wanted: LabAccountSelection,
): Promise<LabAccount | undefined> {
  if (wanted.wantedId) return requireUsable(await getLabAccount(work, wanted.wantedId), wanted);
  const active = (wanted.active ?? (await listActiveAccounts(work))).filter(
    ({ labSlug }) => labSlug === wanted.labSlug,
  );
  return active.find((account) => takesBilling(account, wanted)) ?? active[0];
}

/** The team's account with this id, or a 404. */
export async function getLabAccount(work: Work, id: string): Promise<LabAccount> {
  const [account] = await store.listLabAccounts(work, { id });
  return requireFound(account, 'Lab account');
}

/** The laboratory of the team's account with this id, or a 404. */
export const getLabOfAccount = async (work: Work, id: string): Promise<string> =>
  (await getLabAccount(work, id)).labSlug;

function requireUsable(
  account: LabAccount,
  { labSlug, acceptPending = false }: LabAccountSelection,
): LabAccount {
  const { id, status } = account;
  if (status !== 'active' && !(acceptPending && status === 'pending')) {
    throw new DomainError('bad_request', `Lab account ${id} is ${status}, not active`);
  }
  if (account.labSlug !== labSlug) {
    throw new DomainError(
      'bad_request',
      `Lab account ${id} belongs to ${account.labSlug}, but the order is for ${labSlug}`,
    );
  }
  return account;
}

function takesBilling({ allowedBilling }: LabAccount, { billingType, state }: LabAccountSelection): boolean {
  const states = allowedBilling[billingType];
  return states !== undefined && (state === null || states.includes(state));
}

/** Inserts lab accounts in every status and delegated flow for a new sandbox tenant; none in production. */
export async function seedLabAccounts(work: Work): Promise<void> {
  if (work.tenant.environment !== 'sandbox') return;
  const templates = await listLabAccountTemplates(work);
  await store.insertLabAccounts(
    work,
    // Ids are generated in file order, so the ids sort by age.
    templates.map((template) => ({
      id: newId(),
      labSlug: template.lab,
      status: template.status,
      delegatedFlow: template.delegated_flow,
      providerAccountId: template.provider_account_id,
      accountName: template.account_name,
      defaultClinicalNotes: template.default_clinical_notes,
      businessUnits: template.business_units,
      allowedBilling: template.allowed_billing,
    })),
  );
}
