import { readFileSync } from 'node:fs';
import { type LoincCode, toLoincCode } from './code.ts';
import type { NameLanguage } from './terms.ts';

/** An analyte of our list: its codes, the most usual one first, and the names that laboratories print. */
export interface CodedAnalyte {
  readonly key: string;
  readonly codes: readonly string[];
  readonly names: ReadonlyMap<NameLanguage, readonly string[]>;
}

const NAME_LANGUAGES: readonly NameLanguage[] = ['en', 'es', 'fr', 'de', 'it', 'pt'];
/** Rank of a code that is not on a list of common codes. */
export const UNRANKED = 4_000;

const readLines = (file: URL): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !line.startsWith('#'));

/** Reads the bundled codes from `data/loinc/loinc.tsv`. */
export function readBundledCodes(folder: URL): LoincCode[] {
  const [head = '', ...rows] = readLines(new URL('loinc.tsv', folder));
  const columns = head.split('\t');
  return rows.map((row) => {
    const cells = row.split('\t');
    const cell = (name: string): string => cells[columns.indexOf(name)] ?? '';
    const ranks = [cell('rank_us'), cell('rank_si')].map(Number).filter((rank) => rank > 0);
    return toLoincCode({
      code: cell('loinc'),
      longName: cell('long_common_name'),
      shortName: cell('short_name'),
      component: cell('component'),
      loincClass: cell('class'),
      units: cell('example_ucum_units'),
      property: cell('derived_property'),
      time: cell('derived_time'),
      system: cell('derived_system'),
      scale: cell('derived_scale'),
      method: cell('derived_method'),
      rank: Math.min(UNRANKED, ...ranks),
    });
  });
}

/** Reads the analytes and their printed names from `analytes.txt` and `names/*.txt`. */
export function readAnalytes(folder: URL): CodedAnalyte[] {
  const names = new Map(NAME_LANGUAGES.map((language) => [language, readNames(folder, language)] as const));
  return readLines(new URL('analytes.txt', folder)).map((line) => {
    const [key = '', codes = ''] = line.split(':');
    const spoken = NAME_LANGUAGES.map((language) => [language, names.get(language)?.get(key) ?? []] as const);
    return { key, codes: codes.split(' ').filter((code) => code !== ''), names: new Map(spoken) };
  });
}

function readNames(folder: URL, language: NameLanguage): Map<string, readonly string[]> {
  const lines = readLines(new URL(`names/${language}.txt`, folder));
  return new Map(
    lines.map((line) => {
      const [key = '', list = ''] = line.split('|');
      return [
        key.trim(),
        list
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== ''),
      ] as const;
    }),
  );
}
