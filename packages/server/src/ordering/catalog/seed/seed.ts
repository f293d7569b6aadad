import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { CatalogSeed, SeedLabTest, SeedMarker, SeedResult } from './catalog-seed.ts';
import { checkCatalogSeed } from './check.ts';
import {
  SeedAnalyte,
  SeedLabTestRow,
  SeedMarkerRow,
  SeedLab,
  SeedLabAccount,
  type SeedExpectedResultRow,
} from './schema.ts';

/**
 * Reads, resolves and checks the catalog that is shipped in `data/catalog`. Throws one error that lists every fault,
 * so that a hand-edited file can be fixed in one pass.
 */
export function readCatalogSeed(folder: URL | string): CatalogSeed {
  const root = folder instanceof URL ? fileURLToPath(folder) : folder;
  const labs = readList(root, 'labs.json', SeedLab);
  const analytes = readJsonLines(root, 'analytes.jsonl', SeedAnalyte);
  const markers = readMarkers(root, labs, analytes);
  const seed: CatalogSeed = {
    labs,
    analytes,
    markers,
    lab_tests: readLabTests(root, 'lab-tests.json', { labs, markers }),
    sandbox_lab_tests: readLabTests(root, 'sandbox-lab-tests.json', { labs, markers }),
    lab_accounts: readList(root, 'lab-accounts.json', SeedLabAccount),
  };
  const faults = checkCatalogSeed(seed);
  if (faults.length > 0) throw new Error(`The catalog in ${root} is invalid:\n${faults.join('\n')}`);
  return seed;
}

function readMarkers(root: string, labs: SeedLab[], analytes: SeedAnalyte[]): SeedMarker[] {
  const byKey = new Map(analytes.map((analyte) => [analyte.key, analyte]));
  return labs.flatMap((lab) => {
    const file = `markers-${lab.slug}.jsonl`;
    return readJsonLines(root, file, SeedMarkerRow).map((row) => ({
      ...row,
      lab_id: lab.id,
      lab: lab.slug,
      expected_results: row.expected_results.map((result) => {
        const analyte = byKey.get(result.analyte);
        if (!analyte) throw new Error(`${file}: marker ${row.id} has the unknown analyte ${result.analyte}`);
        return toSeedResult(lab, analyte, result);
      }),
    }));
  });
}

const toSeedResult = (lab: SeedLab, analyte: SeedAnalyte, row: SeedExpectedResultRow): SeedResult => ({
  ...row,
  name: analyte.name,
  slug: analyte.slug,
  lab_id: lab.id,
  synonyms: analyte.synonyms,
  loinc: analyte.loinc,
  measure: analyte.measure,
});

function readLabTests(
  root: string,
  file: string,
  { labs, markers }: { labs: SeedLab[]; markers: SeedMarker[] },
): SeedLabTest[] {
  const ids = new Map(markers.map((marker) => [`${marker.lab} ${marker.provider_id}`, marker.id]));
  return readList(root, file, SeedLabTestRow).map((test) => {
    const lab = labs.find(({ slug }) => slug === test.lab);
    if (!lab) throw new Error(`${file}: ${test.slug} has the unknown lab ${test.lab}`);
    const marker_ids = test.provider_ids.map((code) => {
      const id = ids.get(`${test.lab} ${code}`);
      if (id === undefined)
        throw new Error(`${file}: ${test.slug} has the unknown marker ${code} of ${test.lab}`);
      return id;
    });
    return { ...test, lab_id: lab.id, marker_ids };
  });
}

function readList<Row extends z.ZodType>(root: string, file: string, row: Row): z.infer<Row>[] {
  const content: unknown = JSON.parse(readFileSync(join(root, file), 'utf8'));
  return z
    .array(z.unknown())
    .parse(content)
    .map((item, index) => parseRow(row, item, `${file}[${index}]`));
}

function readJsonLines<Row extends z.ZodType>(root: string, file: string, row: Row): z.infer<Row>[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const content: unknown = JSON.parse(line);
    return [parseRow(row, content, `${file}:${index + 1}`)];
  });
}

function parseRow<Row extends z.ZodType>(row: Row, content: unknown, place: string): z.infer<Row> {
  const parsed = row.safeParse(content);
  if (!parsed.success) throw new Error(`${place}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
