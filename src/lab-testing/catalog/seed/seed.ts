import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { CatalogSeed, SeedLabTest, SeedMarker, SeedResult } from './catalog-seed.ts';
import { faultsOf } from './check.ts';
import { Analyte, LabTestRow, MarkerRow, SeedLab, SeedLabAccount, type ExpectedResultRow } from './schema.ts';

/**
 * The catalogue that is shipped in `data/catalog`: read, resolved and cross-checked.
 * Throws one error that names every fault, so that a file edited by hand is mended in one go.
 */
export function readCatalogSeed(folder: URL | string): CatalogSeed {
  const root = folder instanceof URL ? fileURLToPath(folder) : folder;
  const labs = readList(root, 'labs.json', SeedLab);
  const analytes = readLines(root, 'analytes.jsonl', Analyte);
  const markers = readMarkers(root, labs, analytes);
  const seed: CatalogSeed = {
    labs,
    analytes,
    markers,
    lab_tests: readLabTests(root, labs, markers),
    lab_accounts: readList(root, 'lab-accounts.json', SeedLabAccount),
  };
  const faults = faultsOf(seed);
  if (faults.length > 0) throw new Error(`The catalogue in ${root} is wrong:\n${faults.join('\n')}`);
  return seed;
}

function readMarkers(root: string, labs: SeedLab[], analytes: Analyte[]): SeedMarker[] {
  const byKey = new Map(analytes.map((analyte) => [analyte.key, analyte]));
  return labs.flatMap((lab) => {
    const file = `markers-${lab.slug}.jsonl`;
    return readLines(root, file, MarkerRow).map((row) => ({
      ...row,
      lab_id: lab.id,
      lab: lab.slug,
      expected_results: row.expected_results.map((result) => {
        const analyte = byKey.get(result.analyte);
        if (!analyte)
          throw new Error(`${file}: marker ${row.id} expects the unknown analyte ${result.analyte}`);
        return resultOf(lab, analyte, result);
      }),
    }));
  });
}

const resultOf = (lab: SeedLab, analyte: Analyte, row: ExpectedResultRow): SeedResult => ({
  ...row,
  name: analyte.name,
  slug: analyte.slug,
  lab_id: lab.id,
  synonyms: analyte.synonyms,
  loinc: analyte.loinc,
  measure: analyte.measure,
});

function readLabTests(root: string, labs: SeedLab[], markers: SeedMarker[]): SeedLabTest[] {
  const ids = new Map(markers.map((marker) => [`${marker.lab} ${marker.provider_id}`, marker.id]));
  return readList(root, 'lab-tests.json', LabTestRow).map((test) => {
    const lab = labs.find(({ slug }) => slug === test.lab);
    if (!lab) throw new Error(`lab-tests.json: ${test.slug} names the unknown lab ${test.lab}`);
    const marker_ids = test.provider_ids.map((code) => {
      const id = ids.get(`${test.lab} ${code}`);
      if (id === undefined)
        throw new Error(`lab-tests.json: ${test.slug} names no marker of ${test.lab}: ${code}`);
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

function readLines<Row extends z.ZodType>(root: string, file: string, row: Row): z.infer<Row>[] {
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
