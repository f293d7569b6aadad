/** An array in the database's own words, for values that need no quotes: to print each by itself would cost more. */
export const bare = (values: readonly (string | number | null)[]): string =>
  `{${values.map((value) => value ?? 'NULL').join(',')}}`;
