import { toArrayLiteral } from '../../platform/db/array-literal.ts';
import type { Work } from '../../platform/work.ts';
import type { HealthSample } from '../../readings/readings.ts';

/**
 * Samples as SQL array literals, one per column: at, value, until, zone_offset, type, more. A column without values is
 * an empty array, which `unnest` pads with nulls. Faster than the driver, which writes every number as a quoted string.
 */
export type SampleColumns = readonly string[];

const PLACE = 'sample.more';

export function toSampleColumns({ cipher }: Work, samples: readonly HealthSample[]): SampleColumns {
  const sealed = samples.map(({ more }) => more && cipher.seal(serializeMore(more), PLACE));
  return [
    numberArrayLiteral(samples.map(({ at }) => at)),
    numberArrayLiteral(samples.map(({ value }) => value)),
    numberArrayLiteral(samples.map(({ until }) => until)),
    numberArrayLiteral(samples.map(({ offset }) => offset)),
    arrayLiteral(
      samples.map(({ type }) => type),
      JSON.stringify,
    ),
    arrayLiteral(sealed, byteaLiteral),
  ];
}

export const decryptMore = ({ cipher }: Pick<Work, 'cipher'>, more: Buffer): HealthSample['more'] =>
  JSON.parse(cipher.open(more, PLACE));

/** Serializes the fields with sorted keys, so that equal fields give equal strings. */
export const serializeMore = (more: NonNullable<HealthSample['more']>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(more).sort(([a], [b]) => (a < b ? -1 : 1))));

const numberArrayLiteral = (column: readonly (number | null)[]): string => arrayLiteral(column, String);

function arrayLiteral<T>(column: readonly (T | null)[], textOf: (value: T) => string): string {
  return column.every((value) => value === null) ? '{}' : toArrayLiteral(column, textOf);
}

const byteaLiteral = (bytes: Buffer): string => `"\\\\x${bytes.toString('hex')}"`;
