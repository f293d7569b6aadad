/**
 * Writes images of generated reports with their truth next to them, for `npm run eval:reports`:
 * `npx tsx packages/report-reader/test/write-pictures.ts FOLDER [held-out | everyday | phones]`. `held-out` uses degradations that
 * the reader was not developed with, `everyday` what patients typically send, `phones` screens of patient portals.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { degradePdf, type Degradation } from './degrade.ts';
import { EVERYDAY_DEGRADATIONS, DEGRADATIONS, HELD_OUT_DEGRADATIONS } from './degradations.ts';
import { type ReportConventions, generateReport, truthOf } from './generated-report.ts';
import { PORTALS, drawScreens } from './phone.ts';
import { GROUPS, generateCase } from './reports.ts';

/** Reports per degradation; the layouts take turns. */
const REPORTS = 3;
/** Keeps similar neighboring layouts apart; a prime, so that every layout gets its turn. */
const STEP = 23;
const FIRST_SEED = 101;
const LAYOUTS = Object.values(GROUPS).flat();

const SETS = new Map([
  ['', DEGRADATIONS],
  ['held-out', HELD_OUT_DEGRADATIONS],
  ['everyday', EVERYDAY_DEGRADATIONS],
]);

// prettier-ignore
const MANNERS: readonly ReportConventions[] = [
  { lang: 'en', panels: ['chem', 'lip'], lab: 'Riverbend Example Health', date: (y, m, d) => `${m}/${d}/${y}`, between: (a, b) => `${a} - ${b}` },
  { lang: 'es', comma: true, panels: ['cbc', 'endo', 'ua'], lab: 'Clínica del Ejemplo', date: (y, m, d) => `${d}/${m}/${y}`, between: (a, b) => `${a} - ${b}` },
];

const [folder = '', set = ''] = process.argv.slice(2);
if (folder === '')
  throw new Error('Expected a folder: npx tsx packages/report-reader/test/write-pictures.ts FOLDER');
await mkdir(folder, { recursive: true });
if (set === 'phones') await writePhones();
else await writeDegraded(SETS.get(set) ?? DEGRADATIONS);

async function writeDegraded(harms: Readonly<Record<string, Degradation>>): Promise<void> {
  let count = 0;
  for (const [name, harm] of Object.entries(harms)) {
    for (let report = 0; report < REPORTS; report += 1, count += 1) {
      const layout = LAYOUTS[(count * STEP) % LAYOUTS.length] ?? '';
      const { pdf, truth } = await generateCase(layout, FIRST_SEED + count);
      const pages = await degradePdf(pdf, { ...harm, seed: harm.seed + 100 * (count + 1) });
      await write(`${name}_${layout}`, { truth, pages, ending: 'scan.jpg' });
    }
  }
}

async function writePhones(): Promise<void> {
  let seed = FIRST_SEED;
  for (const [name, portal] of Object.entries(PORTALS)) {
    for (const manner of MANNERS) {
      const report = generateReport(manner, (seed += 1));
      const truth = truthOf(report, name);
      await write(`${name}_${manner.lang}`, {
        truth,
        pages: drawScreens(report, portal),
        ending: 'phone.png',
      });
    }
  }
}

interface PicturedReport {
  readonly truth: unknown;
  readonly pages: readonly Buffer[];
  readonly ending: string;
}

async function write(name: string, { truth, pages, ending }: PicturedReport): Promise<void> {
  const stem = join(folder, name);
  for (const [index, page] of pages.entries()) await writeFile(`${stem}-${index + 1}.${ending}`, page);
  await writeFile(`${stem}.json`, JSON.stringify(truth, null, 2));
}
