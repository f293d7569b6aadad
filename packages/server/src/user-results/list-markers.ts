import type { Work } from '../platform/work.ts';
import { readValues, type UserResultValue } from './read-values.ts';
import { listSources } from './source-store.ts';

/** How many orders and lab reports the list of markers reads: values are sealed, so that no index can answer. */
export const MARKER_SOURCES_MAX = 200;

interface UserMarker extends Pick<UserResultValue, 'name' | 'slug' | 'loinc' | 'unit'> {
  readonly count: number;
  readonly sources: UserResultValue['source'][];
  readonly newest: UserResultValue;
}

/** The markers that a user has values of, one for each unit. */
export async function listMarkers(
  work: Work,
  userId: string,
): Promise<{ data: UserMarker[]; is_complete: boolean }> {
  const sources = await listSources(work, { userId, after: undefined, limit: MARKER_SOURCES_MAX + 1 });
  const values = sources.slice(0, MARKER_SOURCES_MAX).flatMap(readValues);
  const groups = new Map<string, UserResultValue[]>();
  for (const value of values) {
    const key = JSON.stringify([value.loinc ?? value.slug, value.loinc === null, value.unit]);
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  const data = [...groups.values()]
    .flatMap(toMarker)
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return { data, is_complete: sources.length <= MARKER_SOURCES_MAX };
}

function toMarker(values: readonly UserResultValue[]): UserMarker[] {
  const [newest] = values.toSorted((one, other) => other.measured_at.localeCompare(one.measured_at));
  if (!newest) return [];
  const { name, slug, loinc, unit } = newest;
  const sources = [...new Set(values.map(({ source }) => source))].toSorted();
  return [{ name, slug, loinc, unit, count: values.length, sources, newest }];
}
