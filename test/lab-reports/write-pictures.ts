/**
 * Writes pictures of made reports with their truth beside them, for `npm run eval:reports`:
 * `npx tsx test/lab-reports/write-pictures.ts FOLDER [held-out | everyday | phones]`; held-out with the harms that the
 * reader was not made with, everyday with what patients do and send, phones as portals on a telephone show them.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { harmed, type Harm } from './degrade.ts';
import { EVERYDAY_HARMS, HARMS, HELD_OUT_HARMS } from './harms.ts';
import { type Manner, makeReport, truthOf } from './made.ts';
import { PORTALS, screensOf } from './phone.ts';
import { GROUPS, makeCase } from './reports.ts';

/** Reports for each harm; the layouts take turns. */
const REPORTS = 3;
/** So far apart that neighbours, which were written together, are not read under the same harm; a prime, for all to get their turn. */
const STEP = 23;
const FIRST_SEED = 101;
const LAYOUTS = Object.values(GROUPS).flat();

const SETS = new Map([
  ['', HARMS],
  ['held-out', HELD_OUT_HARMS],
  ['everyday', EVERYDAY_HARMS],
]);

// prettier-ignore
const MANNERS: readonly Manner[] = [
  { lang: 'en', panels: ['chem', 'lip'], lab: 'Riverbend Example Health', date: (y, m, d) => `${m}/${d}/${y}`, between: (a, b) => `${a} - ${b}` },
  { lang: 'es', comma: true, panels: ['cbc', 'endo', 'ua'], lab: 'Clínica del Ejemplo', date: (y, m, d) => `${d}/${m}/${y}`, between: (a, b) => `${a} - ${b}` },
];

const [folder = '', set = ''] = process.argv.slice(2);
if (folder === '') throw new Error('Which folder?');
await mkdir(folder, { recursive: true });
if (set === 'phones') await writePhones();
else await writeHarmed(SETS.get(set) ?? HARMS);

async function writeHarmed(harms: Readonly<Record<string, Harm>>): Promise<void> {
  let count = 0;
  for (const [name, harm] of Object.entries(harms)) {
    for (let report = 0; report < REPORTS; report += 1, count += 1) {
      const layout = LAYOUTS[(count * STEP) % LAYOUTS.length] ?? '';
      const { pdf, truth } = await makeCase(layout, FIRST_SEED + count);
      const pages = await harmed(pdf, { ...harm, seed: harm.seed + 100 * (count + 1) });
      await write(`${name}_${layout}`, { truth, pages, ending: 'scan.jpg' });
    }
  }
}

async function writePhones(): Promise<void> {
  let seed = FIRST_SEED;
  for (const [name, portal] of Object.entries(PORTALS)) {
    for (const manner of MANNERS) {
      const report = makeReport(manner, (seed += 1));
      const truth = truthOf(report, name);
      await write(`${name}_${manner.lang}`, { truth, pages: screensOf(report, portal), ending: 'phone.png' });
    }
  }
}

interface Pictured {
  readonly truth: unknown;
  readonly pages: readonly Buffer[];
  readonly ending: string;
}

async function write(name: string, { truth, pages, ending }: Pictured): Promise<void> {
  const stem = join(folder, name);
  for (const [index, page] of pages.entries()) await writeFile(`${stem}-${index + 1}.${ending}`, page);
  await writeFile(`${stem}.json`, JSON.stringify(truth, null, 2));
}
