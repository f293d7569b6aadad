import { DomainError, found } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Work } from '../../platform/work.ts';
import { listLabAccountTemplates } from '../catalog/catalog.ts';
import type { LabAccount } from './schema.ts';
import * as store from './store.ts';

export type { LabAccount } from './schema.ts';

export interface WantedAccount {
  readonly labSlug: string;
  /** As the order named it. */
  readonly wantedId?: string | null | undefined;
  readonly billingType: string;
  /** Where the patient lives, as `NY`; null where it is not known. */
  readonly state: string | null;
  /** An import takes a named account that is still pending. */
  readonly acceptPending?: boolean;
  /** The team's active accounts, where they were asked for beforehand together with something else. */
  readonly active?: readonly LabAccount[];
}

/** The team's active accounts with every laboratory; a handful. */
export const listActiveAccounts = (work: Work): Promise<LabAccount[]> => store.listActiveAccounts(work);

/**
 * The account that an order goes through: the named one, or the team's active one for the lab. Of several, the one
 * that takes the billing in the patient's state, then the oldest. Undefined is the platform's own account, which is
 * not delegated.
 */
export async function resolveAccount(work: Work, wanted: WantedAccount): Promise<LabAccount | undefined> {
  if (wanted.wantedId) return namedAccount(await getLabAccount(work, wanted.wantedId), wanted);
  const active = (wanted.active ?? (await listActiveAccounts(work))).filter(
    ({ labSlug }) => labSlug === wanted.labSlug,
  );
  return active.find((account) => takesBilling(account, wanted)) ?? active[0];
}

/** The team's account with this id, or a 404. */
export async function getLabAccount(work: Work, id: string): Promise<LabAccount> {
  const [account] = await store.listLabAccounts(work, { id });
  return found(account, 'Lab account');
}

function namedAccount(account: LabAccount, { labSlug, acceptPending = false }: WantedAccount): LabAccount {
  const { id, status } = account;
  if (status !== 'active' && !(acceptPending && status === 'pending')) {
    throw new DomainError('bad_request', `Lab account ${id} is ${status}, not active`);
  }
  if (account.labSlug !== labSlug) {
    throw new DomainError(
      'bad_request',
      `Lab account ${id} is with ${account.labSlug}, the order is for ${labSlug}`,
    );
  }
  return account;
}

function takesBilling({ allowedBilling }: LabAccount, { billingType, state }: WantedAccount): boolean {
  const states = allowedBilling[billingType];
  return states !== undefined && (state === null || states.includes(state));
}

/** Gives a new sandbox tenant lab accounts in every status and delegated flow; production gets none. */
export async function seedLabAccounts(work: Work): Promise<void> {
  if (work.tenant.environment !== 'sandbox') return;
  const templates = await listLabAccountTemplates(work);
  await store.insertLabAccounts(
    work,
    // Their ids are made in the order of the file, and so is their age.
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
