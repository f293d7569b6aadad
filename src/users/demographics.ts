import type { PatientAddress, PatientDetails } from '../people/schema.ts';
import { found } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';
import { DemographicsView, type Demographics, type KnownDemographics } from './schema.ts';
import * as store from './store.ts';

const DOCUMENT_PLACE = 'user_info.document';

/** What was last said of a user's person replaces what was said before; it is stored sealed. */
export async function rememberDemographics(
  work: Work,
  userId: string,
  demographics: Demographics,
): Promise<void> {
  await store.keepDemographics(work, userId, {
    document: work.cipher.seal(JSON.stringify(demographics), DOCUMENT_PLACE),
    email_index: emailIndex(work, demographics.email),
  });
}

/** The demographics of a user, or a 404 when none were given yet. */
export async function latestDemographics(work: Work, userId: string): Promise<KnownDemographics> {
  return found(await findDemographics(work, userId), 'User info');
}

export async function findDemographics(work: Work, userId: string): Promise<KnownDemographics | undefined> {
  const sealed = await store.findDemographics(work, userId);
  return sealed && DemographicsView.parse(JSON.parse(work.cipher.open(sealed.document, DOCUMENT_PLACE)));
}

/** The patient of an order as demographics. */
export function demographicsOfPatient(patient: PatientDetails, address: PatientAddress): Demographics {
  const { household_income: _income, household_size: _size, ...person } = patient;
  const { receiver_name: _receiver, phone_number: _phone, second_line, ...place } = address;
  return { ...person, address: { ...place, second_line: second_line ?? '' } };
}

/** A keyed digest, so that a user can be found by an address that is not stored in clear. */
export const emailIndex = (work: Work, email: string) =>
  work.cipher.blindIndex(`email/${email.toLowerCase()}`);
