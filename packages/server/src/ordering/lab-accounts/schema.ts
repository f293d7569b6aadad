import { z } from 'zod';
import { Labs, type LabSlug } from '../catalog/schema.ts';
import { US_STATES } from '../catalog/schema.ts';

export const LabAccountStatus = z
  .enum(['active', 'pending', 'suspended', 'ready_to_launch'])
  .meta({ id: 'LabAccountStatus' });
export type LabAccountStatus = z.output<typeof LabAccountStatus>;

export const DelegatedFlow = z
  .enum(['order_delegated', 'result_delegated', 'fully_delegated', 'not_delegated'])
  .meta({ id: 'LabAccountDelegatedFlow' });
export type DelegatedFlow = z.output<typeof DelegatedFlow>;

/** An organization's account with a laboratory, open to the teams on its allowlist. */
export interface LabAccount {
  readonly id: string;
  readonly orgId: string;
  readonly labSlug: LabSlug;
  readonly status: LabAccountStatus;
  readonly delegatedFlow: DelegatedFlow;
  /** The account number at the laboratory. */
  readonly providerAccountId: string;
  readonly accountName: string | null;
  /** Printed on every requisition, before the order's own comment. */
  readonly defaultClinicalNotes: string | null;
  readonly businessUnits: readonly string[] | null;
  /** The states in which a billing type is accepted, by billing type. */
  readonly allowedBilling: Readonly<Record<string, readonly string[]>>;
  /** The teams that may order through it, limited to those that the reader may see. */
  readonly teamIds: readonly string[];
  readonly createdAt: Date;
}

/** The enum lists the contract's states; other values of an account are returned unchanged. */
const State = z.string().meta({ id: 'USState', enum: [...US_STATES] });

export const LabAccountView = z
  .object({
    id: z.guid(),
    lab: Labs,
    org_id: z.guid().nullable(),
    status: LabAccountStatus,
    delegated_flow: DelegatedFlow,
    provider_account_id: z.string(),
    account_name: z.string().nullable(),
    default_clinical_notes: z.string().nullable(),
    business_units: z.array(z.string()).nullable(),
    allowed_billing: z.record(z.string(), z.array(State)),
    team_id_allowlist: z.array(z.guid()),
  })
  .meta({ id: 'ClientFacingLabAccount' });

export const viewLabAccount = (account: LabAccount): z.input<typeof LabAccountView> => ({
  id: account.id,
  lab: account.labSlug,
  org_id: account.orgId,
  status: account.status,
  delegated_flow: account.delegatedFlow,
  provider_account_id: account.providerAccountId,
  account_name: account.accountName,
  default_clinical_notes: account.defaultClinicalNotes,
  business_units: account.businessUnits && [...account.businessUnits],
  allowed_billing: Object.fromEntries(
    Object.entries(account.allowedBilling).map(([billing, states]) => [billing, [...states]]),
  ),
  team_id_allowlist: [...account.teamIds],
});
