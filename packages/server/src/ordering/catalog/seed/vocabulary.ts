/** The enum values of the contract that the seed may use. Callers must not treat them as complete. */

// prettier-ignore
export const LAB_SLUGS = [
  'ayumetrix', 'spiriplex', 'ussl', 'quest', 'sonora_quest', 'labcorp', 'bioreference', 'us_biotek', 'manual',
  'sanocardio', 'ihd', 'nexus', 'my_uti', 'crl', 'mtl',
] as const;

export const COLLECTION_METHODS = [
  'testkit',
  'walk_in_test',
  'at_home_phlebotomy',
  'on_site_collection',
] as const;

export const SAMPLE_TYPES = [
  'dried_blood_spot',
  'arm_collector',
  'serum',
  'saliva',
  'urine',
  'stool',
] as const;

export const ACCOUNT_STATUSES = ['active', 'pending', 'suspended', 'ready_to_launch'] as const;

export const DELEGATED_FLOWS = [
  'order_delegated',
  'result_delegated',
  'fully_delegated',
  'not_delegated',
] as const;

export const BILLINGS = [
  'client_bill',
  'commercial_insurance',
  'patient_bill_passthrough',
  'patient_bill',
] as const;

export const QUESTION_TYPES = ['choice', 'text', 'numeric', 'multi_choice'] as const;

// prettier-ignore
export const US_STATES = [
  'AL', 'AK', 'AZ', 'AR', 'CA', 'CO', 'CT', 'DE', 'FL', 'GA', 'HI', 'ID', 'IL', 'IN', 'IA', 'KS', 'KY', 'LA', 'ME',
  'MD', 'MA', 'MI', 'MN', 'MS', 'MO', 'MT', 'NE', 'NV', 'NH', 'NJ', 'NM', 'NY', 'NC', 'ND', 'OH', 'OK', 'OR', 'PA',
  'RI', 'SC', 'SD', 'TN', 'TX', 'UT', 'VT', 'VA', 'WA', 'WV', 'WI', 'WY',
] as const;
