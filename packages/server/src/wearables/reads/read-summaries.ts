import { requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users/users.ts';
import {
  listSummaries,
  listRawSummaries,
  readSummaries,
  toSummaryView,
  type RawSummary,
  type Summary,
  type SummaryQuery,
} from '../records/records.ts';
import { toDayRange, type PeriodQuery } from './period.ts';
import { toRawView } from './raw-schema.ts';
import { toProviderFilter } from './read-samples.ts';
import type { SummaryEndpoint } from './summary-table.ts';

export interface SummaryListInput {
  readonly userId: string;
  readonly query: PeriodQuery & { readonly provider: string };
}

/** The summaries of a range of days, in the response format of the resource. */
export const readSummaryList = async (
  work: Work,
  { resource, list }: SummaryEndpoint,
  asked: SummaryListInput,
) => ({
  [list]: await readSummaries(work, await toSummaryQuery(work, resource, asked)),
});

/** Their raw payloads. */
export async function readRawSummaryList(
  work: Work,
  { resource, list }: SummaryEndpoint,
  asked: SummaryListInput,
) {
  const query = await toSummaryQuery(work, resource, asked);
  const rows = await listRawSummaries(work, query);
  // The response has the normalized sport next to the raw payload.
  const summaries = resource === 'workouts' ? await listSummaries(work, query) : [];
  const sports = new Map(summaries.map(({ id, body }) => [id, body['sport']]));
  return { [list]: rows.map((row) => toRawView(row, sports.get(row.id))) };
}

export async function toSummaryQuery(
  work: Work,
  resource: SummaryEndpoint['resource'],
  { userId, query }: SummaryListInput,
): Promise<SummaryQuery> {
  const days = toDayRange(query, work);
  const { id } = await getUser(work, userId);
  return { userId: id, resource, provider: toProviderFilter(query), ...days };
}

interface ProfileInput {
  readonly userId: string;
  readonly query: { readonly provider: string };
}

/** The most recently changed profile; 404 if there is none. */
export const readProfile = async (work: Work, asked: ProfileInput) =>
  toSummaryView(requireNewest(await listSummaries(work, await toProfileQuery(work, asked))));

export const readRawProfile = async (work: Work, asked: ProfileInput) => ({
  profile: toRawView(requireNewest(await listRawSummaries(work, await toProfileQuery(work, asked)))),
});

async function toProfileQuery(work: Work, { userId, query }: ProfileInput): Promise<SummaryQuery> {
  const { id } = await getUser(work, userId);
  return { userId: id, resource: 'profile', provider: toProviderFilter(query), ...ALL_DAYS };
}

const ALL_DAYS = { fromDay: '0001-01-01', toDay: '9999-12-31' };

/** A user has at most one profile per provider, so sorting is cheap. */
function requireNewest<R extends Summary | RawSummary>(rows: readonly R[]): R {
  const [first] = rows.toSorted((a, b) => b.updated_at.getTime() - a.updated_at.getTime());
  return requireFound(first, 'Profile');
}
