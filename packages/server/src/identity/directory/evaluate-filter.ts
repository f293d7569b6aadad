import { comparedOf, type BoundFilter, type FilterTarget } from './bound-filter.ts';
import type { ScimOperator } from './filter.ts';

export type ScimRecord = Readonly<Record<string, unknown>>;

/** A resource with its version. */
export interface VersionedResource extends ScimRecord {
  readonly meta: Readonly<
    Record<'resourceType' | 'created' | 'lastModified' | 'location' | 'version', string>
  >;
}

export const isScimRecord = (value: unknown): value is ScimRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a resource, or one value of a multi-valued attribute, matches. */
export function matchesFilter(filter: BoundFilter, record: ScimRecord): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every((one) => matchesFilter(one, record));
    case 'or':
      return filter.filters.some((one) => matchesFilter(one, record));
    case 'not':
      return !matchesFilter(filter.filter, record);
    case 'values':
      return listOf(record[filter.attribute.name]).some(
        (value) => isScimRecord(value) && matchesFilter(filter.filter, value),
      );
    case 'present':
      return valuesOf(filter.target, record).some(isPresent);
    case 'compare':
      return valuesOf(filter.target, record).some((value) => compare(filter, value));
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The values of a target; one `undefined` for a single-valued attribute without a value. */
function valuesOf({ attribute, sub }: FilterTarget, record: ScimRecord): unknown[] {
  const value = record[attribute.name];
  const values = attribute.multiValued ? [...listOf(value)] : [value];
  return sub ? values.map((one) => (isScimRecord(one) ? one[sub.name] : undefined)) : values;
}

/** An attribute is present unless it is absent, empty, or has only parts that are (RFC 7644, 3.4.2.2). */
function isPresent(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isPresent);
  if (isScimRecord(value)) return Object.values(value).some(isPresent);
  return value !== undefined && value !== null && value !== '';
}

function compare(
  { target, operator, value }: Extract<BoundFilter, { kind: 'compare' }>,
  given: unknown,
): boolean {
  const { caseExact } = comparedOf(target);
  const fold = (text: string) => (caseExact ? text : text.toLowerCase());
  if (typeof value === 'boolean') return (operator === 'ne') !== (given === value);
  if (typeof given !== 'string') return operator === 'ne';
  if (typeof value === 'string') return TEXT[operator](fold(given), fold(value));
  const millis = Date.parse(given);
  return TEXT[operator](millis, value.getTime());
}

const TEXT: Record<ScimOperator, <T extends string | number>(given: T, value: T) => boolean> = {
  eq: (given, value) => given === value,
  ne: (given, value) => given !== value,
  co: (given, value) => String(given).includes(String(value)),
  sw: (given, value) => String(given).startsWith(String(value)),
  ew: (given, value) => String(given).endsWith(String(value)),
  gt: (given, value) => given > value,
  ge: (given, value) => given >= value,
  lt: (given, value) => given < value,
  le: (given, value) => given <= value,
};
