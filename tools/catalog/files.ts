import { existsSync, readFileSync } from 'node:fs';
import { format } from 'prettier';
import { readAnalytes, type AnalyteSource } from './analytes.ts';
import { LAB_ACCOUNTS } from './lab-accounts.ts';
import { LAB_TESTS, type LabTestSource } from './lab-tests.ts';
import { LABS } from './labs.ts';
import { readLoincList } from './loinc-list.ts';
import { SANDBOX_LAB_TESTS } from './sandbox-lab-tests.ts';
import { codeAt, markersOf, readPanels, type PanelSource } from './markers.ts';

export const CATALOG_FOLDER = new URL('../../packages/server/data/catalog/', import.meta.url);

/** The contents of the files of `packages/server/data/catalog`, by name. */
export async function makeFiles(loincPath: string | URL): Promise<Map<string, string>> {
  const loinc = readLoincList(loincPath);
  const analytes = readAnalytes(loinc);
  const panels = readPanels();
  assertUniqueNumbers(panels, analytes);
  const codes = analytes.flatMap(({ analyte }) => (analyte.loinc === null ? [] : [analyte.loinc.code]));
  const files = new Map<string, string>();
  files.set('labs.json', await formatJson(LABS.map(({ lab }) => lab)));
  files.set('analytes.jsonl', lines(analytes.map(({ analyte }) => analyte)));
  for (const lab of LABS) files.set(`markers-${lab.lab.slug}.jsonl`, lines(markersOf(lab, panels, analytes)));
  const asRow = (test: LabTestSource) => labTest(test, panels, analytes);
  files.set('lab-tests.json', await formatJson(LAB_TESTS.map(asRow)));
  files.set('sandbox-lab-tests.json', await formatJson(SANDBOX_LAB_TESTS.map(asRow)));
  files.set('lab-accounts.json', await formatJson(LAB_ACCOUNTS));
  files.set('loinc.tsv', loinc.portion(codes));
  return files;
}

/** All ids derive from the numbers of the tables, so every number must be unique. */
function assertUniqueNumbers(panels: PanelSource[], analytes: AnalyteSource[]): void {
  const numbers = [...panels, ...analytes].map(({ no }) => no);
  const twice = numbers.find((no, at) => numbers.indexOf(no) !== at);
  if (twice !== undefined) throw new Error(`The number ${twice} is used twice`);
  const astray = [
    ...panels.filter(({ no }) => no > 999),
    ...analytes.filter(({ no }) => no < 1000 || no > 3999),
  ];
  if (astray.length > 0) throw new Error(`Out of range: ${astray.map(({ no }) => no).join(', ')}`);
}

function labTest({ markers, ...test }: LabTestSource, panels: PanelSource[], analytes: AnalyteSource[]) {
  const lab = LABS.find((source) => source.lab.slug === test.lab);
  const numbers = new Map([
    ...panels.map(({ key, no }) => [key, no] as const),
    ...analytes.map(({ analyte, no }) => [analyte.key, no] as const),
  ]);
  const provider_ids = markers.map((key) => {
    const no = numbers.get(key);
    if (!lab || no === undefined) throw new Error(`${test.slug}: no ${key} at ${test.lab}`);
    return codeAt(lab, no);
  });
  return { ...test, provider_ids };
}

/** Names of files whose content on disk differs from the generated content. */
export function staleFiles(files: Map<string, string>): string[] {
  const stale = [...files].filter(([name, content]) => {
    const file = new URL(name, CATALOG_FOLDER);
    return !existsSync(file) || readFileSync(file, 'utf8') !== content;
  });
  return stale.map(([name]) => name);
}

function lines(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

function formatJson(value: unknown): Promise<string> {
  return format(JSON.stringify(value), { parser: 'json', printWidth: 110 });
}
