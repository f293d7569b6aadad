import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { expectedOf } from './expected-result.ts';
import * as store from './load-store.ts';
import type { SeedMarker } from './seed/catalog-seed.ts';
import { readCatalogSeed } from './seed/seed.ts';

/**
 * Loads the catalogue that ships with the service into the database, when it is another than the one there.
 * Several processes may start at the same moment: one loads, the others wait for it.
 * Markers that left the catalogue stay for the orders that have them, and can no longer be ordered.
 */
export async function seedCatalog(app: Pick<App, 'db' | 'log' | 'root'>): Promise<void> {
  const folder = new URL('data/catalog/', app.root);
  const checksum = await checksumOf(folder);
  if (await asSystem(app.db, (tx) => store.isLoaded(tx, checksum))) return;
  const seed = readCatalogSeed(folder);
  await asSystem(app.db, async (tx) => {
    await store.lockCatalog(tx);
    if (await store.isLoaded(tx, checksum)) return;
    const labIds = await store.saveLabs(
      tx,
      seed.labs.map(({ address_is_made: _made, ...lab }) => lab),
    );
    await store.saveMarkers(
      tx,
      seed.markers.map((marker) => rowOf(marker, labIds)),
    );
    await store.replaceTemplates(
      tx,
      'lab_test',
      seed.lab_tests.map((test) => ({ ...test, lab_id: labIds.get(test.lab) ?? test.lab_id })),
    );
    await store.replaceTemplates(tx, 'lab_account', seed.lab_accounts);
    await store.markLoaded(tx, checksum);
    app.log.info({ labs: seed.labs.length, markers: seed.markers.length }, 'catalogue loaded');
  });
}

/** Raised when what is made of the files changes, so that an unchanged file is loaded once more. */
const FORM = '1';

async function checksumOf(folder: URL): Promise<string> {
  const hash = createHash('sha256').update(FORM);
  for (const name of (await readdir(folder)).toSorted()) {
    hash.update(`\0${name}\0`).update(await readFile(new URL(name, folder)));
  }
  return hash.digest('hex');
}

const rowOf = (marker: SeedMarker, labIds: ReadonlyMap<string, number>): store.MarkerToSave => ({
  id: marker.id,
  lab_id: labIds.get(marker.lab) ?? marker.lab_id,
  slug: marker.slug,
  name: marker.name,
  description: marker.description,
  provider_id: marker.provider_id,
  type: marker.type,
  unit: marker.unit,
  price: Number(marker.price),
  aoe: marker.aoe,
  expected_results: marker.expected_results.map(expectedOf),
  a_la_carte_enabled: marker.a_la_carte_enabled,
  is_orderable: marker.is_orderable,
  common_tat_days: marker.common_tat_days,
  worst_case_tat_days: marker.worst_case_tat_days,
  synonyms: marker.synonyms,
});
