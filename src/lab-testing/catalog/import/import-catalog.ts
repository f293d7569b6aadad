import type { App } from '../../../app.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { asSystem } from '../../../platform/db/transact.ts';
import { lockCatalog } from '../load-store.ts';
import { assemble, type Imported } from './assemble.ts';
import { ImportRefused, type Fault } from './fault.ts';
import * as store from './import-store.ts';
import { parseRows, type Rows } from './parse-rows.ts';
import { planImport, type Plan } from './plan.ts';
import { readCsv } from './read-csv.ts';
import { readJson } from './read-json.ts';
import type { Row } from './record.ts';

export interface ImportFile {
  readonly format: 'csv' | 'json';
  readonly content: string;
  /** Compare only, and write nothing. */
  readonly dryRun: boolean;
}

/**
 * Brings laboratories and markers into the catalogue of the deployment: all of the file, or, with one fault in it,
 * nothing (`ImportRefused`). The same file a second time changes nothing. What the file does not name stays as it is.
 * Running services see it with their next request.
 */
export async function importCatalog(app: Pick<App, 'db'>, file: ImportFile): Promise<Plan> {
  const given = file.format === 'csv' ? readCsv(file.content) : readJson(file.content);
  const { rows, faults } = parseRows(given);
  return asSystem(app.db, async (tx) => {
    await lockCatalog(tx);
    const labs = await store.listLabRows(tx);
    const put = assemble(rows, new Set(labs.map(({ slug }) => slug)));
    // A row that was not understood is missing to others: what they say of it would lead astray.
    const all = faults.length > 0 ? faults : put.faults;
    if (all.length > 0) throw new ImportRefused(inOrder(all, given));
    const existing = await existingFor(tx, { rows, labs });
    const plan = planImport(put.imported, existing, counter(1));
    return file.dryRun ? plan : write(tx, put.imported, existing);
  });
}

const inOrder = (faults: readonly Fault[], given: readonly Row[]): Fault[] => {
  const order = new Map(given.map(({ place }, at) => [place, at]));
  return faults.toSorted((one, other) => (order.get(one.place) ?? 0) - (order.get(other.place) ?? 0));
};

function counter(first: number): () => number {
  let next = first;
  return () => next++;
}

async function existingFor(tx: Tx, { rows, labs }: { rows: Rows; labs: store.LabRow[] }) {
  const named = new Set(rows.marker.map(({ lab }) => lab));
  const ids = labs.filter(({ slug }) => named.has(slug)).map(({ id }) => id);
  const codes = [...new Set(rows.result.flatMap(({ loinc }) => loinc ?? []))];
  const [markers, loincs] = [await store.listMarkerRows(tx, ids), await store.listLoincNames(tx, codes)];
  return { labs, markers, loincs };
}

/** Plans once to learn how many numbers are needed, and once more with them. */
async function write(
  tx: Tx,
  imported: Imported,
  existing: Awaited<ReturnType<typeof existingFor>>,
): Promise<Plan> {
  let needed = 0;
  planImport(imported, existing, () => (needed += 1));
  const numbers = needed === 0 ? [] : await store.takeIds(tx, needed);
  const plan = planImport(imported, existing, () => {
    const id = numbers.shift();
    if (id === undefined) throw new Error('The import needs more numbers than it counted');
    return id;
  });
  await store.saveLabRows(tx, plan.labs);
  await store.saveMarkerRows(tx, plan.markers);
  return plan;
}
