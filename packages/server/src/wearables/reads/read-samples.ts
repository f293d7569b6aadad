import { invalidField, type DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users/users.ts';
import { readSamples, toSampleView, toSourceView } from '../samples/samples.ts';
import { openCursor, createCursors, type PageQuery } from './cursor.ts';
import { toPeriod, type PeriodQuery } from './period.ts';
import { serializeList } from './serialize-list.ts';
import type { TimeseriesEndpoint } from './timeseries-table.ts';

/** The number of samples on a page, across all sources. */
export const PAGE_SAMPLES = 10_000;
/** The maximum of an unpaginated list. Longer lists are rejected, not truncated. */
export const LIST_SAMPLES_MAX = 50_000;

interface SamplesQuery extends PeriodQuery {
  readonly provider: string;
}

/** A page of samples, by provider and source. */
export async function readSamplePage(
  work: Work,
  { resource }: TimeseriesEndpoint,
  { userId, query }: { userId: string; query: SamplesQuery & PageQuery },
) {
  const period = toPeriod(query, work);
  const user = await getUser(work, userId);
  const list = `timeseries/${user.id}/${resource}`;
  const { groups, next } = await readSamples(work, {
    userId: user.id,
    resource,
    provider: toProviderFilter(query),
    ...period,
    limit: PAGE_SAMPLES,
    after: openCursor(work, list, query),
  });
  const byProvider = new Map<string, unknown[]>();
  for (const { source, samples } of groups) {
    const group = {
      source: toSourceView(source),
      data: samples.map((sample) => toSampleView(resource, sample)),
    };
    const others = byProvider.get(source.provider);
    if (others) others.push(group);
    else byProvider.set(source.provider, [group]);
  }
  return { groups: Object.fromEntries(byProvider), ...createCursors(work, list, next) };
}

/** All samples of a period, by time. 422 above the maximum. */
export async function readSampleList(
  work: Work,
  { resource, type, path, sample }: TimeseriesEndpoint,
  { userId, query }: { userId: string; query: SamplesQuery },
) {
  const period = toPeriod(query, work);
  const user = await getUser(work, userId);
  const { groups, next } = await readSamples(work, {
    userId: user.id,
    resource,
    type,
    provider: toProviderFilter(query),
    ...period,
    limit: LIST_SAMPLES_MAX,
  });
  if (next !== null) throw tooManySamples(['query', 'start_date'], path);
  const samples = groups.flatMap((group) => group.samples).toSorted((a, b) => a.at - b.at);
  return serializeList(sample, samples, (one) => toSampleView(resource, one));
}

/** The contract's default is an empty string, which means all providers. */
export const toProviderFilter = ({ provider }: { provider: string }): string | undefined =>
  provider || undefined;

export function tooManySamples(loc: string[], path: string): DomainError {
  const pages = `/v2/timeseries/{user_id}/${path.split('/', 1)[0]}/grouped`;
  const msg = `expected a period of at most ${LIST_SAMPLES_MAX} samples; use ${pages} to read more, page by page`;
  return invalidField(loc, msg);
}
