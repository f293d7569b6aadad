import { invalidField } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';
import type { PriorityResource } from './lists.ts';
import * as store from './priority-store.ts';

/** One provider's place for one kind of data; null takes the place away. */
export interface PriorityChange {
  readonly data_type: PriorityResource;
  readonly provider: string;
  readonly priority: number | null;
}

/**
 * Changes the places that are named; answers the kinds of data whose order is another one now. 422 where two providers of
 * a kind of data would have the same place.
 */
export async function changePriorities(
  work: Work,
  changes: readonly PriorityChange[],
): Promise<PriorityResource[]> {
  await store.holdPriorities(work);
  const before = await store.listPriorities(work, undefined);
  const places = new Map(before.map((row) => [nameOf(row), row]));
  for (const { priority, ...named } of changes) {
    if (priority === null) places.delete(nameOf(named));
    else places.set(nameOf(named), { ...named, priority });
  }
  const rows = [...places.values()];
  const taken = new Set(rows.map(({ data_type, priority }) => `${data_type}/${priority}`));
  if (taken.size < rows.length) {
    throw invalidField(['body'], 'two providers of one data_type would have the same priority');
  }
  await store.replacePriorities(work, rows);
  return [...new Set(changes.map(({ data_type }) => data_type))].filter(
    (dataType) => orderIn(before, dataType) !== orderIn(rows, dataType),
  );
}

const orderIn = (rows: readonly store.PriorityRow[], dataType: string): string =>
  rows
    .filter((row) => row.data_type === dataType)
    .toSorted((one, other) => one.priority - other.priority)
    .map(({ provider }) => provider)
    .join();

const nameOf = ({ data_type, provider }: { data_type: string; provider: string }) =>
  `${data_type}/${provider}`;

/** The providers whose data count first for a kind of data, the first of all first; none where the tenant has no order. */
export const sourceOrder = async (work: Work, dataType: PriorityResource): Promise<string[]> =>
  (await store.listPriorities(work, dataType)).map(({ provider }) => provider);
