/**
 * A PostgreSQL array literal. Cheaper than the driver's conversion, which formats and quotes each value. `textOf` must
 * quote what needs it; numbers, ids and ISO timestamps do not.
 */
export const toArrayLiteral = <T>(
  values: readonly (T | null)[],
  textOf: (value: T) => string = String,
): string => `{${values.map((value) => (value === null ? 'NULL' : textOf(value))).join()}}`;
