/**
 * Generates packages/server/data/places/sites.jsonl, the fictional patient service centers, from tools/sites/cities.psv and the centers
 * of ZIP codes. The same tables give the same bytes.
 *
 *   npx tsx tools/make-sites.ts            writes the file
 *   npx tsx tools/make-sites.ts --check    fails if the file would change
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseGeneratedSites } from '../packages/server/src/scheduling/patient-service-centers/load-sites.ts';
import { makeSites, SITES_FILE } from './sites/make.ts';

const made = makeSites();
if (process.argv.includes('--check')) {
  const isStale = !existsSync(SITES_FILE) || readFileSync(SITES_FILE, 'utf8') !== made;
  if (isStale)
    console.error('packages/server/data/places/sites.jsonl is out of date, run tools/make-sites.ts again');
  process.exitCode = isStale ? 1 : 0;
} else writeFileSync(SITES_FILE, made);

const counted = new Map<string, number>();
for (const { lab } of parseGeneratedSites(made)) counted.set(lab, (counted.get(lab) ?? 0) + 1);
for (const [lab, count] of counted) console.log(`${lab}: ${count} sites`);
