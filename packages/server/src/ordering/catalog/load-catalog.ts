import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { toCatalogResult } from './expected-result.ts';
import * as store from './load-store.ts';
import type { SeedLabTest, SeedMarker } from './seed/catalog-seed.ts';
import { readCatalogSeed } from './seed/seed.ts';

/**
 * Loads the shipped catalog into the database if its checksum differs from the loaded one. Safe to call from several
 * processes at once: one loads, the others wait. Markers that are no longer in the catalog stay for existing orders
 * but cannot be ordered.
 */
export async function seedCatalog(app: Pick<App, 'db' | 'log' | 'root'>): Promise<void> {
  const folder = new URL('data/catalog/', app.root);
  const checksum = await checksumOf(folder);
  if (await asSystem(app.db, (tx) => store.isCatalogLoaded(tx, checksum))) return;
  const seed = readCatalogSeed(folder);
  await asSystem(app.db, async (tx) => {
    await store.lockCatalog(tx);
    if (await store.isCatalogLoaded(tx, checksum)) return;
    const labIds = await store.saveShippedLabs(
      tx,
      seed.labs.map(({ address_is_made: _made, ...lab }) => lab),
    );
    await store.saveShippedMarkers(
      tx,
      seed.markers.map((marker) => toShippedMarkerRow(marker, labIds)),
    );
    const ofLab = (test: SeedLabTest) => ({ ...test, lab_id: labIds.get(test.lab) ?? test.lab_id });
    await store.replaceCatalogTemplates(tx, 'lab_test', seed.lab_tests.map(ofLab));
    await store.replaceCatalogTemplates(tx, 'sandbox_lab_test', seed.sandbox_lab_tests.map(ofLab));
    await store.replaceCatalogTemplates(tx, 'lab_account', seed.lab_accounts);
    await store.recordCatalogLoad(tx, checksum);
    app.log.info({ labs: seed.labs.length, markers: seed.markers.length }, 'catalog loaded');
  });
}

/** Increase it when the loaded form changes, so that unchanged files are loaded again. */
const SEED_FORMAT_VERSION = '1';

async function checksumOf(folder: URL): Promise<string> {
  const hash = createHash('sha256').update(SEED_FORMAT_VERSION);
  for (const name of (await readdir(folder)).toSorted()) {
    hash.update(`\0${name}\0`).update(await readFile(new URL(name, folder)));
  }
  return hash.digest('hex');
}

const toShippedMarkerRow = (
  marker: SeedMarker,
  labIds: ReadonlyMap<string, number>,
): store.ShippedMarkerRow => ({
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
  expected_results: marker.expected_results.map(toCatalogResult),
  a_la_carte_enabled: marker.a_la_carte_enabled,
  is_orderable: marker.is_orderable,
  common_tat_days: marker.common_tat_days,
  worst_case_tat_days: marker.worst_case_tat_days,
  synonyms: marker.synonyms,
});
