/**
 * Writes pictures of made reports with their truth beside them, for `npm run eval:reports`:
 * `npx tsx test/lab-reports/write-pictures.ts FOLDER [held-out]`; held-out with the harms that the reader was not made
 * with.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { harmed } from './degrade.ts';
import { HARMS, HELD_OUT_HARMS } from './harms.ts';
import { GROUPS, makeCase } from './reports.ts';

/** Reports for each harm; the layouts take turns. */
const REPORTS = 3;
/** So far apart that neighbours, which were written together, are not read under the same harm. */
const STEP = 7;
const FIRST_SEED = 101;
const LAYOUTS = Object.values(GROUPS).flat();

const [folder = '', set = ''] = process.argv.slice(2);
if (folder === '') throw new Error('Which folder?');
await mkdir(folder, { recursive: true });
let count = 0;
for (const [name, harm] of Object.entries(set === 'held-out' ? HELD_OUT_HARMS : HARMS)) {
  for (let report = 0; report < REPORTS; report += 1, count += 1) {
    const layout = LAYOUTS[(count * STEP) % LAYOUTS.length] ?? '';
    const { pdf, truth } = await makeCase(layout, FIRST_SEED + count);
    const pages = await harmed(pdf, { ...harm, seed: harm.seed + 100 * (count + 1) });
    const stem = join(folder, `${name}_${layout}`);
    for (const [index, page] of pages.entries()) await writeFile(`${stem}-${index + 1}.scan.jpg`, page);
    await writeFile(`${stem}.json`, JSON.stringify(truth, null, 2));
  }
}
