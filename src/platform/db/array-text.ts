/**
 * An array in the database's own words: the driver would print and quote each value by itself, which costs more.
 * `textOf` quotes what needs it; numbers, ids and moments in ISO form do not.
 */
export const arrayText = <T>(values: readonly (T | null)[], textOf: (value: T) => string = String): string =>
  `{${values.map((value) => (value === null ? 'NULL' : textOf(value))).join()}}`;
