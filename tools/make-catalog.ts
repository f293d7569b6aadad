/**
 * Generates the files of `packages/server/data/catalog` from the tables in `tools/catalog`. The same tables give the same bytes.
 *
 *   npx tsx tools/make-catalog.ts                  writes the files
 *   npx tsx tools/make-catalog.ts --check          fails if a file would change
 *   npx tsx tools/make-catalog.ts --loinc <file>   reads codes from a larger list (columns of packages/server/data/catalog/loinc.tsv)
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readCatalogSeed } from '../packages/server/src/ordering/catalog/seed/seed.ts';
import { CATALOG_FOLDER, makeFiles, staleFiles } from './catalog/files.ts';

const { values } = parseArgs({
  options: { loinc: { type: 'string' }, check: { type: 'boolean', default: false } },
});
const files = await makeFiles(values.loinc ?? new URL('loinc.tsv', CATALOG_FOLDER));
if (values.check) {
  const stale = staleFiles(files);
  if (stale.length > 0) console.error(`Out of date, run tools/make-catalog.ts again: ${stale.join(', ')}`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [name, content] of files) writeFileSync(new URL(name, CATALOG_FOLDER), content);
}

const seed = readCatalogSeed(CATALOG_FOLDER);
for (const { slug } of seed.labs) {
  const markers = seed.markers.filter((marker) => marker.lab === slug);
  const panels = markers.filter((marker) => marker.type === 'panel').length;
  const asking = markers.filter((marker) => marker.aoe !== null).length;
  console.log(`${slug}: ${markers.length} markers, ${panels} of them panels, ${asking} with AOE questions`);
}
