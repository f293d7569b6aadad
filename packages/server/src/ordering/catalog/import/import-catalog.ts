import type { App } from '../../../app.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { asSystem } from '../../../platform/db/transact.ts';
import { lockCatalog } from '../load-store.ts';
import { assembleImport, type ImportedCatalog } from './assemble.ts';
import { CatalogImportError, type CatalogImportFault } from './fault.ts';
import * as store from './import-store.ts';
import { parseRows, type ParsedImportRows } from './parse-rows.ts';
import { planImport, type CatalogImportPlan } from './plan.ts';
import { readCsv } from './read-csv.ts';
import { readJson } from './read-json.ts';
import type { CatalogImportRow } from './record.ts';

export interface CatalogImportFile {
  readonly format: 'csv' | 'json';
  readonly content: string;
  /** Compare only; write nothing. */
  readonly dryRun: boolean;
}

/**
 * Imports laboratories and markers into the catalog. Atomic: with any fault in the file, nothing is written and
 * `CatalogImportError` lists all faults. Idempotent: importing the same file again changes nothing. Rows that are not
 * in the file stay unchanged. Running services use the new catalog from their next request on.
 */
export const importCatalog = (app: Pick<App, 'db'>, file: CatalogImportFile): Promise<CatalogImportPlan> =>
  asSystem(app.db, (tx) => importCatalogIn(tx, file));

/** The same in a transaction that does more. */
export async function importCatalogIn(tx: Tx, file: CatalogImportFile): Promise<CatalogImportPlan> {
  const given = file.format === 'csv' ? readCsv(file.content) : readJson(file.content);
  const { rows, faults } = parseRows(given);
  await lockCatalog(tx);
  const labs = await store.listLabRows(tx);
  const put = assembleImport(rows, new Set(labs.map(({ slug }) => slug)));
  // References to an unparsed row would be reported as missing: report the parse faults alone.
  const all = faults.length > 0 ? faults : put.faults;
  if (all.length > 0) throw new CatalogImportError(sortByFilePosition(all, given));
  const existing = await readExistingCatalog(tx, { rows, labs });
  const plan = planImport(put.imported, existing, makeCounter(1));
  return file.dryRun ? plan : writeImport(tx, put.imported, existing);
}

const sortByFilePosition = (
  faults: readonly CatalogImportFault[],
  given: readonly CatalogImportRow[],
): CatalogImportFault[] => {
  const order = new Map(given.map(({ place }, at) => [place, at]));
  return faults.toSorted((one, other) => (order.get(one.place) ?? 0) - (order.get(other.place) ?? 0));
};

function makeCounter(first: number): () => number {
  let next = first;
  return () => next++;
}

async function readExistingCatalog(tx: Tx, { rows, labs }: { rows: ParsedImportRows; labs: store.LabRow[] }) {
  const named = new Set(rows.marker.map(({ lab }) => lab));
  const ids = labs.filter(({ slug }) => named.has(slug)).map(({ id }) => id);
  const codes = [...new Set(rows.result.flatMap(({ loinc }) => loinc ?? []))];
  const [markers, loincs] = [await store.listMarkerRows(tx, ids), await store.listLoincNames(tx, codes)];
  return { labs, markers, loincs };
}

/** Plans twice: first to count the new ids, then with the allocated ids. */
async function writeImport(
  tx: Tx,
  imported: ImportedCatalog,
  existing: Awaited<ReturnType<typeof readExistingCatalog>>,
): Promise<CatalogImportPlan> {
  let needed = 0;
  planImport(imported, existing, () => (needed += 1));
  const numbers = needed === 0 ? [] : await store.allocateIds(tx, needed);
  const plan = planImport(imported, existing, () => {
    const id = numbers.shift();
    if (id === undefined) throw new Error('The import needs more ids than it counted');
    return id;
  });
  await store.saveLabRows(tx, plan.labs);
  await store.saveMarkerRows(tx, plan.markers);
  return plan;
}
