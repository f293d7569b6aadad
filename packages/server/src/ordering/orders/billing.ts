import {
  findCoverage,
  findInsurance,
  isMedicare,
  findMedicareDenialReason,
  validateDiagnoses,
  type IcdCodesValidation,
} from '../../users/insurance/insurance.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { LabAccount } from '../lab-accounts/lab-accounts.ts';
import type { CreateOrder } from './commands.ts';

type BillableOrder = Pick<CreateOrder, 'billing_type' | 'icd_codes' | 'user_id'> & {
  readonly patient_address: Pick<CreateOrder['patient_address'], 'state'>;
};

export interface BillingRequest {
  readonly command: BillableOrder;
  readonly labSlug: string;
  /** Undefined for the platform's own account. */
  readonly account: Pick<LabAccount, 'id' | 'allowedBilling'> | undefined;
}

/**
 * Returns the id of the insurance that pays for the order, or null if none does. Billing an insurance requires a
 * laboratory that accepts it in the patient's state, valid diagnosis codes, and the user's primary insurance, with a
 * guarantor unless the patient is the insured: 400 otherwise.
 */
export async function resolveBillingInsurance(
  work: Work,
  { command, labSlug, account }: BillingRequest,
): Promise<string | null> {
  if (command.billing_type !== 'commercial_insurance') return null;
  requireDiagnoses(command.icd_codes ?? []);
  requireInsuranceAccepted(command.patient_address.state, labSlug, account);
  const coverage = await findCoverage(work, command.user_id);
  if (!coverage) throw billingError('needs a primary insurance; create one for the user first');
  if (coverage.relationship !== 'Self' && !coverage.hasGuarantor) {
    throw billingError(`needs a guarantor on an insurance with relationship ${coverage.relationship}`);
  }
  return coverage.id;
}

/** Whether an Advance Beneficiary Notice (ABN) is required: Medicare is not expected to pay for these diagnoses. */
export async function isAbnRequired(
  work: Work,
  insuranceId: string | null,
  icdCodes: readonly string[],
): Promise<boolean> {
  const insurance = insuranceId === null ? undefined : await findInsurance(work, insuranceId);
  return (
    insurance !== undefined &&
    isMedicare(insurance.company) &&
    findMedicareDenialReason(icdCodes) !== undefined
  );
}

const billingError = (why: string) =>
  new DomainError('bad_request', `Billing by commercial_insurance ${why}`);

function requireDiagnoses(codes: readonly string[]): void {
  if (codes.length === 0) throw billingError('needs icd_codes: at least one ICD-10-CM code');
  const verdict = validateDiagnoses(codes);
  if (!verdict.valid) throw billingError(`needs valid icd_codes: ${describeFaults(verdict).join('; ')}`);
}

const describeFaults = ({ errors, violations }: IcdCodesValidation): string[] => [
  ...errors,
  ...violations.map(
    ({ code, conflicts_with: other }) => `${code} excludes ${other}: expected one of the two`,
  ),
];

/** Laboratories that bill insurers in every state for orders on the platform's own account. */
const PLATFORM_INSURANCE_LABS = new Set(['labcorp', 'quest', 'bioreference', 'sonora_quest']);

function requireInsuranceAccepted(state: string, labSlug: string, account: BillingRequest['account']): void {
  if (!account) {
    if (!PLATFORM_INSURANCE_LABS.has(labSlug)) throw billingError(`is not accepted by ${labSlug}`);
    return;
  }
  const states = account.allowedBilling['commercial_insurance'] ?? [];
  if (!states.includes(state))
    throw billingError(`is not accepted by ${labSlug} in ${state} with lab account ${account.id}`);
}
