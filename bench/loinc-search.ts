// Measures the LOINC search: npx tsx bench/loinc-search.ts [path/to/Loinc.csv]
// Without a file, the bundled codes, and a made-up table as large as all laboratory codes of LOINC.
import { performance } from 'node:perf_hooks';
import {
  indexCodes,
  searchCodes,
  type SearchableCode,
} from '../packages/report-reader/src/coding/search-codes.ts';
import { openLoincSearch } from '../packages/report-reader/src/loinc-search.ts';

const QUERIES = [
  'g',
  'gl',
  'glucose',
  'glucose serum',
  'ser plas mass',
  '2345',
  '2',
  'globulos rojos',
  'hgb',
  'xylo',
];
const ROUNDS = 200;
const MADE_CODES = 100_000;
const LIMIT = 20;

type SearchFunction = (text: string) => readonly SearchableCode[];

function report(name: string, search: SearchFunction): void {
  for (const text of QUERIES) search(text);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const text of QUERIES) {
      const start = performance.now();
      search(text);
      times.push(performance.now() - start);
    }
  }
  times.sort((one, other) => one - other);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  console.log(`${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${(times.at(-1) ?? 0).toFixed(2)} ms`);
}

/** The bundled names in other combinations, so that words are as common as in the real table. */
function makeCodes(bundled: readonly SearchableCode[]): SearchableCode[] {
  return Array.from({ length: MADE_CODES }, (_, index) => {
    const own = bundled[index % bundled.length];
    const other = bundled[(index * 7919) % bundled.length];
    if (!own || !other) throw new Error('There are no bundled codes');
    return {
      ...own,
      names: [],
      code: `${index}-0`,
      longName: `${other.component} ${own.longName}`,
      rank: index,
    };
  });
}

const loinc = await openLoincSearch(process.argv[2]);
report(`${loinc.count} codes`, (text) => loinc.search(text, LIMIT));
if (process.argv[2] === undefined) {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'].flatMap((letter) => loinc.search(letter, loinc.count));
  const bundled = [...new Set(letters)];
  const start = performance.now();
  const table = await indexCodes(makeCodes(bundled));
  console.log(`${MADE_CODES} made-up codes indexed in ${Math.round(performance.now() - start)} ms`);
  report(`${MADE_CODES} made-up codes`, (text) => searchCodes(table, text, LIMIT));
}
