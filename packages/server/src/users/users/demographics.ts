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

/** The full names of the users with demographics among these, by user id. */
export async function findNames(work: Work, userIds: readonly string[]): Promise<Map<string, string>> {
  const rows = userIds.length === 0 ? [] : await store.listDemographics(work, userIds);
  const open = (document: Buffer) =>
    DemographicsView.parse(JSON.parse(work.cipher.open(document, DOCUMENT_CONTEXT)));
  return new Map(
    rows.map(({ user_id: id, document }) => {
      const { first_name: first, last_name: last } = open(document);
      return [id, `${first} ${last}`];
    }),
  );
}

/** A blind index (keyed digest), to find a user by an e-mail address that is not stored in plain text. */
export const computeEmailIndex = (work: Work, email: string) =>
  work.cipher.blindIndex(`email/${email.toLowerCase()}`);
