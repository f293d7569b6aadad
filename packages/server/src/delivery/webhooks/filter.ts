import { matchesEventType, validateEventType } from '../../events/events.ts';
import { DomainError } from '../../platform/errors.ts';

/** An exact event type, or a prefix that ends in `.*`. */
export const FILTER_TYPE = /^[a-z][a-z0-9_]*((\.[a-z0-9_]+)+|(\.[a-z0-9_]+)*\.\*)$/;

/** Whether a filter matches an event type; no filter matches everything. */
export function matchesFilter(filter: readonly string[] | null, type: string): boolean {
  if (filter === null || filter.length === 0) return true;
  return filter.some((entry) => matchesEventType(entry, type));
}

/** Refuses a filter with an entry that matches no event type. */
export function validateFilter(types: readonly string[], filter: readonly string[] | null | undefined): void {
  const faults = (filter ?? []).flatMap((entry, index) =>
    validateEventType(types, entry, ['body', 'filter_types', index]),
  );
  if (faults.length > 0) throw new DomainError('invalid', faults);
}
