import type { SeedLabAccount } from '../../packages/server/src/ordering/catalog/seed/schema.ts';
import { US_STATES } from '../../packages/server/src/ordering/catalog/seed/vocabulary.ts';

type UsState = (typeof US_STATES)[number];

const EVERYWHERE = [...US_STATES];
const allBut = (...left: UsState[]): UsState[] => US_STATES.filter((state) => !left.includes(state));

const CLIENT = { client_bill: EVERYWHERE };
const NOTES = 'Sandbox account. Fax critical values to the ordering physician.';

type AccountStatus = SeedLabAccount['status'];
type DelegatedFlow = SeedLabAccount['delegated_flow'];
type AccountExtra = Partial<
  Pick<SeedLabAccount, 'default_clinical_notes' | 'business_units' | 'allowed_billing'>
>;
type AccountRow = readonly [
  lab: SeedLabAccount['lab'],
  status: AccountStatus,
  delegated_flow: DelegatedFlow,
  extra?: AccountExtra,
];

/**
 * Oldest first. New rows go to the end, because account numbers are assigned in this order. The rows cover every status
 * and delegated flow: one active account each for labcorp, quest and sonora_quest, and three for bioreference that
 * differ in the billing they allow.
 */
// prettier-ignore
const ROWS: readonly AccountRow[] = [
  ['labcorp', 'active', 'not_delegated', { default_clinical_notes: NOTES, allowed_billing: {
    client_bill: EVERYWHERE, commercial_insurance: allBut('AK', 'HI'), patient_bill_passthrough: EVERYWHERE, patient_bill: allBut('NY', 'NJ', 'RI') } }],
  ['labcorp', 'pending', 'not_delegated'],
  ['labcorp', 'pending', 'order_delegated'],
  ['labcorp', 'suspended', 'order_delegated'],
  ['labcorp', 'ready_to_launch', 'fully_delegated'],
  ['quest', 'active', 'order_delegated', { business_units: ['QST-EAST', 'QST-WEST'], allowed_billing: {
    client_bill: EVERYWHERE, commercial_insurance: allBut('AK', 'HI', 'NY') } }],
  ['quest', 'pending', 'fully_delegated'],
  ['quest', 'suspended', 'not_delegated'],
  ['quest', 'ready_to_launch', 'result_delegated'],
  ['sonora_quest', 'active', 'fully_delegated', { allowed_billing: { client_bill: ['AZ', 'CA', 'NM', 'NV', 'UT'], commercial_insurance: ['AZ'] } }],
  ['sonora_quest', 'pending', 'result_delegated'],
  ['sonora_quest', 'suspended', 'result_delegated'],
  ['sonora_quest', 'ready_to_launch', 'not_delegated'],
  ['bioreference', 'active', 'result_delegated'],
  ['bioreference', 'active', 'not_delegated', { allowed_billing: {
    client_bill: ['CT', 'NJ', 'NY', 'PA'], commercial_insurance: ['CT', 'FL', 'NJ', 'NY', 'PA'] } }],
  ['bioreference', 'active', 'not_delegated', { allowed_billing: {
    patient_bill: allBut('NY', 'NJ', 'RI'), patient_bill_passthrough: EVERYWHERE, commercial_insurance: ['CA', 'TX'] } }],
  ['bioreference', 'ready_to_launch', 'order_delegated'],
  ['bioreference', 'suspended', 'fully_delegated'],
];

export const LAB_ACCOUNTS: readonly SeedLabAccount[] = ROWS.map(
  ([lab, status, delegated_flow, extra], at) => ({
    key: `${lab}_${status}_${delegated_flow}_${at + 1}`,
    lab,
    status,
    delegated_flow,
    provider_account_id: `SANDBOX-${String(at + 1).padStart(3, '0')}`,
    account_name: `Sandbox ${lab} ${status} ${delegated_flow}`.replaceAll('_', ' '),
    default_clinical_notes: null,
    business_units: null,
    allowed_billing: CLIENT,
    ...extra,
  }),
);
