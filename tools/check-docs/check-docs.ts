/**
 * Runs every command of README.md and docs/ against fresh services and compares what comes with what the pages show:
 * `npm run check:docs`, or `npm run check:docs -- WORD...` for the pages whose path has one of the words.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { kindOf, parsePage, type DocsBlock } from './page.ts';
import { hasRuns, runPage, withService, type PageReport } from './run-page.ts';
import { endSessions } from './session.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const words = process.argv.slice(2);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void endSessions().finally(() => process.exit(1)));

const entries = await readdir(join(root, 'docs'), { recursive: true });
const names = [
  'README.md',
  ...entries
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .toSorted(),
];
const pages = await Promise.all(names.map(async (page) => ({ page, blocks: await readPage(page) })));
const variables =
  pages.flatMap(({ blocks }) => blocks).find(({ marks }) => marks.everywhere !== undefined)?.text ?? '';
const chosen = pages.filter(({ page }) => words.length === 0 || words.some((word) => page.includes(word)));

const relevant = chosen.filter(({ blocks }) =>
  blocks.some((block) => ['command', 'program'].includes(kindOf(block))),
);
const isGuide = ({ blocks }: { readonly blocks: readonly DocsBlock[] }) =>
  hasRuns(blocks) && !blocks.some(startsService);
const reports: PageReport[] = [];
for (const each of relevant.filter((page) => !isGuide(page)))
  reports.push(await runPage({ root, ...each, prepared: undefined }));
if (relevant.some(isGuide)) await runGuides();

printTable(reports);
const failures = reports.flatMap((report) => report.failures);
if (failures.length > 0) {
  console.error(`\n${failures.length} failed:\n${failures.join('\n')}`);
  process.exitCode = 1;
}

/** The guides share one service, which a shell of their own talks to. */
async function runGuides(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'check-docs-'));
  await withService({ root, folder }, async (workspace) => {
    for (const each of relevant.filter(isGuide)) {
      reports.push(await runPage({ root, ...each, prepared: { workspace, variables } }));
      console.log(`${each.page}: ${Math.round(process.uptime())} s`);
    }
  }).finally(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
}

function startsService({ marks, text }: DocsBlock): boolean {
  return marks.background !== undefined && text.includes('npm start');
}

async function readPage(page: string): Promise<DocsBlock[]> {
  try {
    return parsePage(await readFile(join(root, page), 'utf8'));
  } catch (error) {
    throw new Error(`${page}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function printTable(all: readonly PageReport[]): void {
  const width = Math.max(4, ...all.map(({ page }) => page.length));
  console.log(`${'page'.padEnd(width)}  run  compared  skipped`);
  for (const { page, run, compared, skipped, failures: failed } of all) {
    const counts = `${String(run).padStart(3)}  ${String(compared).padStart(8)}  ${String(skipped.length).padStart(7)}`;
    console.log(`${page.padEnd(width)}  ${counts}${failed.length > 0 ? '  FAILED' : ''}`);
  }
  const sum = (of: (report: PageReport) => number) => all.reduce((total, report) => total + of(report), 0);
  console.log(
    `${sum(({ run }) => run)} run, ${sum(({ compared }) => compared)} compared, ${sum(({ skipped }) => skipped.length)} skipped in ${Math.round(process.uptime())} s`,
  );
  const reasons = all.flatMap(({ skipped }) => skipped);
  if (reasons.length > 0) console.log(`\nskipped:\n${reasons.map((reason) => `  ${reason}`).join('\n')}`);
}
