import { DomainError } from '../platform/errors.ts';

/** An exact event type, or a prefix that ends in `.*`. */
export const FILTER_TYPE = /^[a-z][a-z0-9_]*((\.[a-z0-9_]+)+|(\.[a-z0-9_]+)*\.\*)$/;

/** Whether an endpoint wants events of this type; no filter wants everything. */
export function wants(filter: readonly string[] | null, type: string): boolean {
  if (filter === null || filter.length === 0) return true;
  return filter.some((entry) => matches(entry, type));
}

const matches = (entry: string, type: string): boolean =>
  entry.endsWith('.*') ? type.startsWith(entry.slice(0, -1)) : type === entry;

/** Refuses a filter of which an entry names none of the events that there are: it would wait for ever. */
export function checkFilter(types: readonly string[], filter: readonly string[] | null | undefined): void {
  const faults = (filter ?? []).flatMap((entry, index) =>
    types.some((type) => matches(entry, type))
      ? []
      : [
          {
            loc: ['body', 'filter_types', index],
            msg: `expected the type of an event, or a prefix of one; there is no ${entry}`,
            type: 'value_error',
          },
        ],
  );
  if (faults.length > 0) throw new DomainError('invalid', faults);
}
