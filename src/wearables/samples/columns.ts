import { arrayText } from '../../platform/db/array-text.ts';
import type { Work } from '../../platform/work.ts';
import type { Sample } from '../readings.ts';

/**
 * Samples as the texts of SQL arrays, one for each column: at, value, until, zone_offset, type, more, more_digest.
 * A column that has nothing is an empty array, which `unnest` fills up with nulls. The driver would write every number
 * as a quoted text.
 */
export type Columns = readonly string[];

const PLACE = 'sample.more';
const DIGEST_BYTES = 16;

export function columnsOf({ cipher }: Work, userId: string, samples: readonly Sample[]): Columns {
  const more = samples.map((sample) => (sample.more === null ? null : moreText(sample.more)));
  const sealed = more.map((text) => (text === null ? null : cipher.seal(text, PLACE)));
  const digestOf = (text: string, n: number) =>
    cipher.blindIndex(`sample/${userId}/${samples[n]?.at}/${text}`).subarray(0, DIGEST_BYTES);
  const digests = more.map((text, n) => (text === null ? null : digestOf(text, n)));
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
    array(digests, binary),
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
