import { requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { DemographicsView, type Demographics, type StoredDemographics } from './schema.ts';
import * as store from './store.ts';

const DOCUMENT_CONTEXT = 'user_info.document';

/** Replaces the stored demographics of a user. They are stored sealed. */
export async function saveDemographics(
  work: Work,
  userId: string,
  demographics: Demographics,
): Promise<void> {
  await store.upsertDemographics(work, userId, {
    document: work.cipher.seal(JSON.stringify(demographics), DOCUMENT_CONTEXT),
    email_index: computeEmailIndex(work, demographics.email),
  });
}

/** The demographics of a user; 404 when there are none. */
export async function getDemographics(work: Work, userId: string): Promise<StoredDemographics> {
  return requireFound(await findDemographics(work, userId), 'User info');
}

export async function findDemographics(work: Work, userId: string): Promise<StoredDemographics | undefined> {
  const sealed = await store.findDemographics(work, userId);
  return sealed && DemographicsView.parse(JSON.parse(work.cipher.open(sealed.document, DOCUMENT_CONTEXT)));
}

/** A blind index (keyed digest), to find a user by an e-mail address that is not stored in plain text. */
export const computeEmailIndex = (work: Work, email: string) =>
  work.cipher.blindIndex(`email/${email.toLowerCase()}`);
