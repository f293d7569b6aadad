/**
 * Writes made reports with their truth into a folder, for eval:reports:
 * `npx tsx test/lab-reports/write.ts FOLDER [GROUP]`; the groups are those of reports.ts, without one all of them.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GROUPS, makeCase } from './reports.ts';

const SEED = 7;
const [folder = '', group] = process.argv.slice(2);
if (folder === '') throw new Error('A folder is wanted');
await mkdir(folder, { recursive: true });
for (const layout of group === undefined ? Object.values(GROUPS).flat() : (GROUPS[group] ?? [])) {
  const { pdf, truth } = await makeCase(layout, SEED);
  await writeFile(join(folder, `${layout}.pdf`), pdf);
  await writeFile(join(folder, `${layout}.json`), JSON.stringify(truth));
}
