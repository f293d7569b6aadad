import {
  findCoverage,
  findInsurance,
  isMedicare,
  unpaidByMedicare,
  validateDiagnoses,
  type CodesVerdict,
} from '../../insurance/insurance.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { LabAccount } from '../lab-accounts/lab-accounts.ts';
import type { CreateOrder } from './commands.ts';

type BilledOrder = Pick<CreateOrder, 'billing_type' | 'icd_codes' | 'user_id'> & {
  readonly patient_address: Pick<CreateOrder['patient_address'], 'state'>;
};

export interface Billing {
  readonly command: BilledOrder;
  readonly labSlug: string;
  /** Undefined is the platform's own account. */
  readonly account: Pick<LabAccount, 'id' | 'allowedBilling'> | undefined;
}

/**
 * The insurance that pays for the order, null where none does. Billing to an insurance needs a laboratory that takes it
 * in the patient's state, valid diagnoses, and the user's primary insurance, with a guarantor unless it is the
 * patient's own: 400 otherwise.
 */
export async function requireBilling(
  work: Work,
  { command, labSlug, account }: Billing,
): Promise<string | null> {
  if (command.billing_type !== 'commercial_insurance') return null;
  requireDiagnoses(command.icd_codes ?? []);
  requireTaken(command.patient_address.state, labSlug, account);
  const coverage = await findCoverage(work, command.user_id);
  if (!coverage) throw refused('needs a primary insurance of the user, and none was created');
  if (coverage.relationship !== 'Self' && !coverage.hasGuarantor) {
    throw refused(`needs a guarantor when the relationship of the insurance is ${coverage.relationship}`);
  }
  return coverage.id;
}

/** Whether a notice is due that Medicare is not expected to pay; see documents for the notice itself. */
export async function isNoticeDue(
  work: Work,
  insuranceId: string | null,
  icdCodes: readonly string[],
): Promise<boolean> {
  const insurance = insuranceId === null ? undefined : await findInsurance(work, insuranceId);
  return insurance !== undefined && isMedicare(insurance.company) && unpaidByMedicare(icdCodes) !== undefined;
}

const refused = (why: string) => new DomainError('bad_request', `Billing by commercial_insurance ${why}`);

function requireDiagnoses(codes: readonly string[]): void {
  if (codes.length === 0) throw refused('needs icd_codes: at least one ICD-10-CM code');
  const verdict = validateDiagnoses(codes);
  if (!verdict.valid) throw refused(`needs valid icd_codes: ${faultsOf(verdict).join('; ')}`);
}

const faultsOf = ({ errors, violations }: CodesVerdict): string[] => [
  ...errors,
  ...violations.map(
    ({ code, conflicts_with: other }) => `${code} excludes ${other}: expected one of the two`,
  ),
];

/** The laboratories that bill insurers in every state for orders through the platform's own account. */
const PLATFORM_LABS = new Set(['labcorp', 'quest', 'bioreference', 'sonora_quest']);

function requireTaken(state: string, labSlug: string, account: Billing['account']): void {
  if (!account) {
    if (!PLATFORM_LABS.has(labSlug)) throw refused(`is not taken by ${labSlug}`);
    return;
  }
  const states = account.allowedBilling['commercial_insurance'] ?? [];
  if (!states.includes(state))
    throw refused(`is not taken by ${labSlug} in ${state} with lab account ${account.id}`);
}
