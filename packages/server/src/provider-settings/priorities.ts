import { invalidField } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';
import type { PriorityResource } from './lists.ts';
import * as store from './priority-store.ts';

/** The priority of a provider for a data type; null removes it. */
interface PriorityChange {
  readonly data_type: PriorityResource;
  readonly provider: string;
  readonly priority: number | null;
}

/**
 * Changes the named priorities; returns the data types whose order changed. 422 if two providers of a data type would
 * have the same priority.
 */
export async function changePriorities(
  work: Work,
  changes: readonly PriorityChange[],
): Promise<PriorityResource[]> {
  await store.lockPriorities(work);
  const before = await store.listPriorities(work, undefined);
  const places = new Map(before.map((row) => [priorityKey(row), row]));
  for (const { priority, ...named } of changes) {
    if (priority === null) places.delete(priorityKey(named));
    else places.set(priorityKey(named), { ...named, priority });
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

const orderIn = (rows: readonly store.SourcePriorityRow[], dataType: string): string =>
  rows
    .filter((row) => row.data_type === dataType)
    .toSorted((one, other) => one.priority - other.priority)
    .map(({ provider }) => provider)
    .join();

const priorityKey = ({ data_type, provider }: { data_type: string; provider: string }) =>
  `${data_type}/${provider}`;

/** The providers of a data type by priority, the highest first; empty if the tenant has set none. */
export const getSourceOrder = async (work: Work, dataType: PriorityResource): Promise<string[]> =>
  (await store.listPriorities(work, dataType)).map(({ provider }) => provider);
