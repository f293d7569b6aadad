import { readFileSync } from 'node:fs';
import { hasCheckDigit, toLoincId } from '../../packages/server/src/ordering/catalog/seed/loinc.ts';
import type { SeedLoinc } from '../../packages/server/src/ordering/catalog/seed/schema.ts';
import { slugOf } from './slug.ts';

export interface LoincList {
  /** The code with its official name; throws for a code that is not in the list. */
  get(code: string, unit: string | null): SeedLoinc;
  /** The rows of these codes, unchanged, below the header line; this is the part that the product ships. */
  portion(codes: readonly string[]): string;
}

/** Reads a list with the columns of `loinc-common.tsv`. Rows without an official name are skipped. */
export function readLoincList(path: string | URL): LoincList {
  const [head = '', ...lines] = readFileSync(path, 'utf8').split('\n');
  const columns = head.split('\t');
  const at = (line: string, column: string) => line.split('\t')[columns.indexOf(column)] ?? '';
  const official = lines.filter((line) => at(line, 'name_status') === 'official');
  const rows = new Map(official.map((line) => [at(line, 'loinc'), line]));
  const row = (code: string): string => {
    const found = rows.get(code);
    if (found === undefined || !hasCheckDigit(code))
      throw new Error(`${code} is not an official code in the list`);
    return found;
  };
  return {
    get: (code, unit) => {
      const name = at(row(code), 'long_common_name');
      return { id: toLoincId(code), code, name, slug: slugOf(name), unit };
    },
    portion: (codes) => `${[head, ...codes.map(row)].join('\n')}\n`,
  };
}
