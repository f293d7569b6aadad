/**
 * Writes generated reports with their truth to a folder, for `npm run eval:reports`:
 * `npx tsx packages/report-reader/test/write.ts FOLDER [GROUP]`. The groups are in reports.ts; default is all groups.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GROUPS, generateCase } from './reports.ts';

const SEED = 7;
const [folder = '', group] = process.argv.slice(2);
if (folder === '')
  throw new Error('Expected a folder: npx tsx packages/report-reader/test/write.ts FOLDER [GROUP]');
await mkdir(folder, { recursive: true });
for (const layout of group === undefined ? Object.values(GROUPS).flat() : (GROUPS[group] ?? [])) {
  const { pdf, truth } = await generateCase(layout, SEED);
  await writeFile(join(folder, `${layout}.pdf`), pdf);
  await writeFile(join(folder, `${layout}.json`), JSON.stringify(truth));
}
