import { isNamed, unknownType } from '../events/events.ts';
import { DomainError } from '../platform/errors.ts';

/** An exact event type, or a prefix that ends in `.*`. */
export const FILTER_TYPE = /^[a-z][a-z0-9_]*((\.[a-z0-9_]+)+|(\.[a-z0-9_]+)*\.\*)$/;

/** Whether an endpoint wants events of this type; no filter wants everything. */
export function wants(filter: readonly string[] | null, type: string): boolean {
  if (filter === null || filter.length === 0) return true;
  return filter.some((entry) => isNamed(entry, type));
}

/** Refuses a filter of which an entry names none of the events that there are. */
export function checkFilter(types: readonly string[], filter: readonly string[] | null | undefined): void {
  const faults = (filter ?? []).flatMap((entry, index) =>
    unknownType(types, entry, ['body', 'filter_types', index]),
  );
  if (faults.length > 0) throw new DomainError('invalid', faults);
}
