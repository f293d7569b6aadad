/**
 * Generates the complete ICD-10-CM tables from the two files that CMS and NCHS publish for each fiscal year (public
 * domain; "Code Descriptions in Tabular Order" and "Tabular List" on cms.gov). Download them first, then run:
 *
 *   npx tsx tools/make-insurance.ts --release 2026 \
 *     --order icd10cm_order_2026.txt --tabular icd10cm_tabular_2026.xml
 *
 * It writes icd10cm.tsv.gz and icd10cm-excludes.tsv.gz to packages/server/data/insurance, which replace the seeds, and prints where the
 * seeds differ from the official files.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { dataPath, parseTable } from '../packages/server/src/users/insurance/directory/data-file.ts';

const DATA = fileURLToPath(new URL('../packages/server/data/insurance', import.meta.url));

/** The order file has fixed columns: 7-13 code, 15 whether it can be billed, 78 on the long description. */
export function parseOrderFile(text: string): string[] {
  const rows = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return rows
    .map((line) => [line.slice(6, 13).trim(), line.charAt(14), line.slice(77).trim()].join('\t'))
    .sort((a, b) => (codeOf(a) < codeOf(b) ? -1 : 1));
}

const codeOf = (row: string): string => row.slice(0, row.indexOf('\t'));

interface OpenElement {
  kind: 'chapter' | 'section' | 'diag';
  /** The code or range that a note in this element applies to. */
  under: string;
}

const TAG = /<(\/?)(\w+)([^>]*)>([^<]*)/g;

/**
 * The excludes notes of the tabular list, as rows. Left out: Excludes2 notes of whole chapters, which would warn about
 * nearly every pair of chapters, and notes whose codes have a condition in words.
 */
export function parseTabularList(xml: string): { rows: string[]; leftOut: string[] } {
  const rows = new Set<string>();
  const leftOut: string[] = [];
  const places: OpenElement[] = [];
  let kind: string | undefined;
  for (const [, closing, tag = '', attributes = '', text = ''] of xml.matchAll(TAG)) {
    const here = places.at(-1);
    if (tag === 'excludes1' || tag === 'excludes2') kind = closing === '/' ? undefined : tag;
    else if (tag === 'chapter' || tag === 'section' || tag === 'diag') {
      if (closing === '/') places.pop();
      else places.push({ kind: tag, under: parseSpans(`(${idOf(attributes)})`)[0] ?? '' });
    } else if (closing === '/' || here === undefined) continue;
    else if (tag === 'name' && here.kind === 'diag') here.under ||= text.trim().replace('.', '');
    else if (tag === 'desc' && here.kind === 'chapter') here.under ||= parseSpans(text)[0] ?? '';
    else if (tag === 'note' && kind !== undefined && !(kind === 'excludes2' && here.kind === 'chapter')) {
      const spans = parseSpans(text);
      if (spans.length === 0 || here.under === '') leftOut.push(`${here.under}: ${text.trim()}`);
      for (const span of here.under === '' ? [] : spans) rows.add([kind, here.under, span].join('\t'));
    }
  }
  return { rows: [...rows].sort(), leftOut };
}

const idOf = (attributes: string): string => /\bid="([^"]*)"/.exec(attributes)?.[1] ?? '';

const CODE = '[A-Z]\\d[0-9A-Z](?:\\.[0-9A-Z]{1,4})?';
const SPAN = new RegExp(`^(${CODE})(?:\\.?-|\\s*-\\s*(${CODE})(?:\\.?-)?)?$`);

/** The codes and ranges in parentheses: `(O24.4-)`, `(E08-E13)`, `(J02.-, J03.9)`. */
function parseSpans(text: string): string[] {
  const spans: string[] = [];
  for (const [, inside = ''] of text.matchAll(/[([]([^()[\]]*)[)\]]/g)) {
    for (const part of inside.split(',')) {
      const match = SPAN.exec(part.trim());
      const [from, to] = [match?.[1]?.replace('.', ''), match?.[2]?.replace('.', '')];
      if (from !== undefined) spans.push(to === undefined || to === from ? from : `${from}-${to}`);
    }
  }
  return spans;
}

/** Rows of the code seed that differ from the official rows. */
export function findDisagreements(seed: readonly string[], official: readonly string[]): string[] {
  const officialByCode = new Map(official.map((row) => [codeOf(row), row]));
  return seed
    .map((row) => ({ ours: row.replace('\t~\t', '\t0\t'), theirs: officialByCode.get(codeOf(row)) }))
    .filter(({ ours, theirs }) => ours !== theirs)
    .map(({ ours, theirs }) => `seed: ${ours}\nreal: ${theirs ?? 'no such code'}`);
}

function main(): void {
  const { values } = parseArgs({
    options: { release: { type: 'string' }, order: { type: 'string' }, tabular: { type: 'string' } },
  });
  const { release, order, tabular } = values;
  if (!release || !order || !tabular)
    throw new Error('The options --release, --order and --tabular are required');
  const codes = parseOrderFile(readText(order));
  const { rows: notes, leftOut } = parseTabularList(readText(tabular));
  write('icd10cm.tsv.gz', release, codes);
  write('icd10cm-excludes.tsv.gz', release, notes);
  const odd = findDisagreements(seedRows('icd10cm-seed.tsv'), codes);
  const missing = seedRows('icd10cm-excludes-seed.tsv').filter((row) => !notes.includes(row));
  console.log([...odd, ...missing.map((row) => `seed only: ${row}`)].join('\n'));
  console.log(`${codes.length} codes, ${notes.length} excludes notes, ${leftOut.length} notes left out`);
}

/** Some years are published in UTF-8, some in Latin-1. */
function readText(path: string): string {
  const bytes = readFileSync(path);
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? bytes.toString('latin1') : text;
}

function seedRows(name: string): string[] {
  const path = dataPath(DATA, name);
  const { body } = parseTable(path, readFileSync(path, 'utf8'));
  return body.split('\n').filter((row) => row !== '');
}

function write(name: string, release: string, rows: string[]): void {
  const head = `# ICD-10-CM, public domain (NCHS, CMS)\n# release: ${release}\n# coverage: complete\n`;
  writeFileSync(dataPath(DATA, name), gzipSync(`${head}${rows.join('\n')}\n`, { level: 9 }));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) main();
