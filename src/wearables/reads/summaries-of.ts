import { found } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users.ts';
import {
  listSummaries,
  readRaw,
  readSummaries,
  viewSummary,
  type RawSummary,
  type Summary,
  type SummaryQuery,
} from '../records/records.ts';
import { daysOf, type Asked } from './period.ts';
import { viewRaw } from './raw-schema.ts';
import { providerOf } from './samples-of.ts';
import type { SummaryRead } from './summary-table.ts';

export interface SummariesAsked {
  readonly userId: string;
  readonly query: Asked & { readonly provider: string };
}

/** The summaries of some days, as the list of the resource. */
export const readList = async (work: Work, { resource, list }: SummaryRead, asked: SummariesAsked) => ({
  [list]: await readSummaries(work, await queryOf(work, resource, asked)),
});

/** What the providers sent of them. */
export async function readRawList(work: Work, { resource, list }: SummaryRead, asked: SummariesAsked) {
  const query = await queryOf(work, resource, asked);
  const rows = await readRaw(work, query);
  // The sport stands beside what the provider sent, in our words.
  const summaries = resource === 'workouts' ? await listSummaries(work, query) : [];
  const sports = new Map(summaries.map(({ id, body }) => [id, body['sport']]));
  return { [list]: rows.map((row) => viewRaw(row, sports.get(row.id))) };
}

async function queryOf(
  work: Work,
  resource: SummaryRead['resource'],
  { userId, query }: SummariesAsked,
): Promise<SummaryQuery> {
  const days = daysOf(query, work);
  const { id } = await getUser(work, userId);
  return { userId: id, resource, provider: providerOf(query), ...days };
}

interface ProfileAsked {
  readonly userId: string;
  readonly query: { readonly provider: string };
}

/** The profile that changed last; 404 where no provider told one. */
export const readProfile = async (work: Work, asked: ProfileAsked) =>
  viewSummary(newest(await listSummaries(work, await profilesOf(work, asked))));

export const readRawProfile = async (work: Work, asked: ProfileAsked) => ({
  profile: viewRaw(newest(await readRaw(work, await profilesOf(work, asked)))),
});

async function profilesOf(work: Work, { userId, query }: ProfileAsked): Promise<SummaryQuery> {
  const { id } = await getUser(work, userId);
  return { userId: id, resource: 'profile', provider: providerOf(query), ...ALWAYS };
}

const ALWAYS = { fromDay: '0001-01-01', toDay: '9999-12-31' };

/** A user has one from each provider at most, so there are few. */
function newest<R extends Summary | RawSummary>(rows: readonly R[]): R {
  const [first] = rows.toSorted((a, b) => b.updated_at.getTime() - a.updated_at.getTime());
  return found(first, 'Profile');
}
