import { invalidField, type DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users.ts';
import { readSamples, viewSample, viewSource } from '../samples/samples.ts';
import { afterOf, cursorsOf, type NextPage } from './cursor.ts';
import { periodOf, type Asked } from './period.ts';
import { printList } from './print-list.ts';
import type { SampledRead } from './timeseries-table.ts';

/** A page holds so many samples, of all sources together. */
export const PAGE_SAMPLES = 10_000;
/** A list that is not read by pages holds at most so many; it is refused rather than cut. */
export const LIST_SAMPLES_MAX = 50_000;

export interface SamplesQuery extends Asked {
  readonly provider: string;
}

/** A page of samples, by provider and source. */
export async function readPage(
  work: Work,
  { resource }: SampledRead,
  { userId, query }: { userId: string; query: SamplesQuery & NextPage },
) {
  const period = periodOf(query, work);
  const user = await getUser(work, userId);
  const list = `timeseries/${user.id}/${resource}`;
  const { groups, next } = await readSamples(work, {
    userId: user.id,
    resource,
    provider: providerOf(query),
    ...period,
    limit: PAGE_SAMPLES,
    after: afterOf(work, list, query),
  });
  const byProvider = new Map<string, unknown[]>();
  for (const { source, samples } of groups) {
    const group = {
      source: viewSource(source),
      data: samples.map((sample) => viewSample(resource, sample)),
    };
    const others = byProvider.get(source.provider);
    if (others) others.push(group);
    else byProvider.set(source.provider, [group]);
  }
  return { groups: Object.fromEntries(byProvider), ...cursorsOf(work, list, next) };
}

/** All samples of a period, by time. 422 where there are more than a list holds. */
export async function readList(
  work: Work,
  { resource, type, path, sample }: SampledRead,
  { userId, query }: { userId: string; query: SamplesQuery },
) {
  const period = periodOf(query, work);
  const user = await getUser(work, userId);
  const { groups, next } = await readSamples(work, {
    userId: user.id,
    resource,
    type,
    provider: providerOf(query),
    ...period,
    limit: LIST_SAMPLES_MAX,
  });
  if (next !== null) throw tooMany(['query', 'start_date'], path);
  const samples = groups.flatMap((group) => group.samples).toSorted((a, b) => a.at - b.at);
  return printList(sample, samples, (one) => viewSample(resource, one));
}

/** The contract's default is an empty text, and means all of them. */
export const providerOf = ({ provider }: { provider: string }): string | undefined => provider || undefined;

export function tooMany(loc: string[], path: string): DomainError {
  const pages = `/v2/timeseries/{user_id}/${path.split('/', 1)[0]}/grouped`;
  const msg = `expected a period of at most ${LIST_SAMPLES_MAX} samples; ${pages} reads more, page by page`;
  return invalidField(loc, msg);
}
