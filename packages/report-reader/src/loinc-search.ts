/** A search over LOINC codes by code, name and synonym, for people who choose a code. Loads no OCR and no PDF. */
import type { LoincCode } from './coding/code.ts';
import { readAnalytes, readBundledCodes } from './coding/read-bundled.ts';
import { readLoincCsv } from './coding/read-loinc-csv.ts';
import { indexCodes, searchCodes, type SearchableCode } from './coding/search-codes.ts';
import { packageFolder } from './package-folder.ts';

export type { SearchableCode } from './coding/search-codes.ts';

export interface LoincSearch {
  /** The best matches first: the most common codes before others. */
  search(text: string, limit: number): SearchableCode[];
  readonly count: number;
}

/** Reads and indexes the bundled codes, or those of the operator's own Loinc.csv. */
export async function openLoincSearch(loincCsv?: string): Promise<LoincSearch> {
  const folder = new URL('data/loinc/', packageFolder());
  const codes = new Map(readBundledCodes(folder).map((code) => [code.code, toSearchable(code, '')]));
  if (loincCsv !== undefined) {
    for await (const { code, displayName } of readLoincCsv(loincCsv)) {
      const rank = Math.min(code.rank, codes.get(code.code)?.rank ?? code.rank);
      codes.set(code.code, { ...toSearchable(code, displayName), rank });
    }
  }
  for (const { codes: ofAnalyte, names } of readAnalytes(folder)) {
    const spoken = [...names.values()].flat();
    for (const code of ofAnalyte) {
      const known = codes.get(code);
      if (known) codes.set(code, { ...known, names: [...known.names, ...spoken] });
    }
  }
  const table = await indexCodes([...codes.values()]);
  return { search: (text, limit) => searchCodes(table, text, limit), count: codes.size };
}

const toSearchable = (code: LoincCode, displayName: string): SearchableCode => ({
  code: code.code,
  longName: code.longName,
  shortName: code.shortName,
  component: code.component,
  displayName,
  units: code.exampleUnits,
  names: [],
  rank: code.rank,
});
