import { requirePastDob } from '../people/schema.ts';
import { DomainError, found } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';
import { getUser } from '../users/users.ts';
import type { PayorDirectory } from './directory/payors.ts';
import { findPayor } from './payors.ts';
import {
  InsuranceView,
  type Company,
  type CreateInsurance,
  type Insurance,
  type Relationship,
} from './schema.ts';
import * as store from './store.ts';

const DOCUMENT_PLACE = 'health_insurance.document';

export interface Creation {
  readonly userId: string;
  readonly command: CreateInsurance;
  readonly warn: (message: string) => void;
}

/** Keeps an insurance of a user; it replaces the current one of its kind, which stays as history. */
export async function createInsurance(
  work: Work,
  payors: PayorDirectory,
  { userId, command, warn }: Creation,
): Promise<Insurance> {
  requirePastDob(work, command.insured.dob, ['body', 'insured', 'dob']);
  const user = await getUser(work, userId);
  const { payorCode, company } = await payorOf(work, payors, { payorCode: command.payor_code, warn });
  const insurance = InsuranceView.parse({
    ...command,
    payor_code: payorCode,
    company,
    group_id: command.group_id ?? null,
    guarantor: command.guarantor ?? null,
  });
  const document = work.cipher.seal(JSON.stringify(insurance), DOCUMENT_PLACE);
  await store.replaceCurrent(work, { userId: user.id, isPrimary: command.is_primary }, document);
  return insurance;
}

/** The current insurance of this kind, or a 404 when the user has none. */
export async function latestInsurance(work: Work, userId: string, isPrimary: boolean): Promise<Insurance> {
  const user = await getUser(work, userId);
  const row = found(await store.findCurrent(work, { userId: user.id, isPrimary }), 'Insurance');
  return openInsurance(work, row.document);
}

/** What an order needs to know of the insurance that it is billed to. */
export interface Coverage {
  readonly id: string;
  readonly payorCode: string;
  readonly relationship: Relationship;
  readonly hasGuarantor: boolean;
}

/** The user's current insurance of this kind, as an order needs it. */
export async function findCoverage(
  work: Work,
  userId: string,
  isPrimary = true,
): Promise<Coverage | undefined> {
  const row = await store.findCurrent(work, { userId, isPrimary });
  if (!row) return undefined;
  const { payor_code: payorCode, relationship, guarantor } = openInsurance(work, row.document);
  return { id: row.id, payorCode, relationship, hasGuarantor: guarantor !== null };
}

/** The insurance with this id as it was told, current or replaced. */
export async function findInsurance(work: Work, id: string): Promise<Insurance | undefined> {
  const row = await store.findInsuranceRow(work, id);
  return row && openInsurance(work, row.document);
}

const openInsurance = (work: Work, document: Buffer): Insurance =>
  InsuranceView.parse(JSON.parse(work.cipher.open(document, DOCUMENT_PLACE)));

interface Named {
  readonly payorCode: string;
  readonly warn: (message: string) => void;
}

/** The company behind a code. Sandbox takes an unknown code as it is, so that the call can be tried with any. */
async function payorOf(
  work: Work,
  payors: PayorDirectory,
  { payorCode, warn }: Named,
): Promise<{ payorCode: string; company: Company }> {
  const known = await findPayor(work, payors, payorCode);
  if (known) {
    return { payorCode: known.payor_code, company: { name: known.name, address: known.org_address } };
  }
  if (work.tenant.environment === 'production') throw new DomainError('not_found', 'Payor not found');
  warn('payor_code is not a known payor and was taken as it is; production answers 404');
  return { payorCode, company: { name: payorCode, address: nowhere } };
}

const nowhere: Company['address'] = {
  first_line: '',
  second_line: '',
  country: '',
  zip: '',
  city: '',
  state: '',
};
