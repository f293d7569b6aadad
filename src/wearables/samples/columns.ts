import { arrayText } from '../../platform/db/array-text.ts';
import type { Work } from '../../platform/work.ts';
import type { Sample } from '../readings.ts';

/**
 * Samples as the texts of SQL arrays, one for each column: at, value, until, zone_offset, type, more.
 * A column that has nothing is an empty array, which `unnest` fills up with nulls. The driver would write every number
 * as a quoted text.
 */
export type Columns = readonly string[];

const PLACE = 'sample.more';

export function columnsOf({ cipher }: Work, samples: readonly Sample[]): Columns {
  const sealed = samples.map(({ more }) => more && cipher.seal(moreText(more), PLACE));
  return [
    numbers(samples.map(({ at }) => at)),
    numbers(samples.map(({ value }) => value)),
    numbers(samples.map(({ until }) => until)),
    numbers(samples.map(({ offset }) => offset)),
    array(
      samples.map(({ type }) => type),
      JSON.stringify,
    ),
    array(sealed, binary),
  ];
}

export const openMore = ({ cipher }: Pick<Work, 'cipher'>, more: Buffer): Sample['more'] =>
  JSON.parse(cipher.open(more, PLACE));

/** The fields in the order of their names, so that equal ones are equal texts. */
export const moreText = (more: NonNullable<Sample['more']>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(more).sort(([a], [b]) => (a < b ? -1 : 1))));

const numbers = (column: readonly (number | null)[]): string => array(column, String);

function array<T>(column: readonly (T | null)[], textOf: (value: T) => string): string {
  return column.every((value) => value === null) ? '{}' : arrayText(column, textOf);
}

const binary = (bytes: Buffer): string => `"\\\\x${bytes.toString('hex')}"`;
