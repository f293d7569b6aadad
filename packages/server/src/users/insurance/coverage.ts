import { requirePastDob } from '../../people/schema.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../users/users.ts';
import type { PayorDirectory } from './directory/payors.ts';
import { findPayor } from './payors.ts';
import {
  InsuranceView,
  type InsuranceCompany,
  type CreateInsurance,
  type Insurance,
  type Relationship,
} from './schema.ts';
import * as store from './store.ts';

const DOCUMENT_CONTEXT = 'health_insurance.document';

interface InsuranceCreation {
  readonly userId: string;
  readonly command: CreateInsurance;
  readonly warn: (message: string) => void;
}

/** Stores an insurance of a user. It replaces the current primary or secondary one, which stays as history. */
export async function createInsurance(
  work: Work,
  payors: PayorDirectory,
  { userId, command, warn }: InsuranceCreation,
): Promise<Insurance> {
  requirePastDob(work, command.insured.dob, ['body', 'insured', 'dob']);
  const user = await getUser(work, userId);
  const { payorCode, company } = await resolvePayor(work, payors, { payorCode: command.payor_code, warn });
  const insurance = InsuranceView.parse({
    ...command,
    payor_code: payorCode,
    company,
    group_id: command.group_id ?? null,
    guarantor: command.guarantor ?? null,
  });
  const document = work.cipher.seal(JSON.stringify(insurance), DOCUMENT_CONTEXT);
  await store.replaceCurrentInsurance(work, { userId: user.id, isPrimary: command.is_primary }, document);
  return insurance;
}

/** The user's current primary or secondary insurance; 404 when there is none. */
export async function getLatestInsurance(work: Work, userId: string, isPrimary: boolean): Promise<Insurance> {
  const user = await getUser(work, userId);
  const row = requireFound(
    await store.findCurrentInsurance(work, { userId: user.id, isPrimary }),
    'Insurance',
  );
  return openInsurance(work, row.document);
}

/** The fields of an insurance that an order needs for billing. */
interface Coverage {
  readonly id: string;
  readonly payorCode: string;
  readonly relationship: Relationship;
  readonly hasGuarantor: boolean;
}

/** The user's current primary or secondary insurance, for billing an order. */
export async function findCoverage(
  work: Work,
  userId: string,
  isPrimary = true,
): Promise<Coverage | undefined> {
  const row = await store.findCurrentInsurance(work, { userId, isPrimary });
  if (!row) return undefined;
  const { payor_code: payorCode, relationship, guarantor } = openInsurance(work, row.document);
  return { id: row.id, payorCode, relationship, hasGuarantor: guarantor !== null };
}

/** The insurance with this id, current or replaced. */
export async function findInsurance(work: Work, id: string): Promise<Insurance | undefined> {
  const row = await store.findInsuranceRow(work, id);
  return row && openInsurance(work, row.document);
}

const openInsurance = (work: Work, document: Buffer): Insurance =>
  InsuranceView.parse(JSON.parse(work.cipher.open(document, DOCUMENT_CONTEXT)));

interface PayorLookup {
  readonly payorCode: string;
  readonly warn: (message: string) => void;
}

/** Resolves a payor code to its company. Sandbox accepts unknown codes, with a warning; production throws a 404. */
async function resolvePayor(
  work: Work,
  payors: PayorDirectory,
  { payorCode, warn }: PayorLookup,
): Promise<{ payorCode: string; company: InsuranceCompany }> {
  const known = await findPayor(work, payors, payorCode);
  if (known) {
    return { payorCode: known.payor_code, company: { name: known.name, address: known.org_address } };
  }
  if (work.tenant.environment === 'production') throw new DomainError('not_found', 'Payor not found');
  warn('payor_code is unknown and was accepted as is; production responds with 404');
  return { payorCode, company: { name: payorCode, address: EMPTY_ADDRESS } };
}

const EMPTY_ADDRESS: InsuranceCompany['address'] = {
  first_line: '',
  second_line: '',
  country: '',
  zip: '',
  city: '',
  state: '',
};
