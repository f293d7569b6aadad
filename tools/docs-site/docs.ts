/**
 * The documentation as a site: `npm run docs` serves it and follows changes, `npm run docs:build` builds it into
 * dist/docs, with `-- --releases` each tagged release at its own path too, `npm run docs:check` builds it and
 * follows every link.
 */
import { watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, createServer } from 'vitepress';
import { checkSite } from './check-site.ts';
import { currentEdition, listReleases, withRelease } from './editions.ts';
import { stageSite, writeMarkdown, type Edition } from './stage.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const staged = join(root, 'dist/docs-source');
const outDir = join(root, 'dist/docs');

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    releases: { type: 'boolean', default: false },
    port: { type: 'string', default: '4400' },
  },
});

/** Fails, naming each, when a link of the built site leads nowhere. */
async function checkEdition(edition: Edition): Promise<void> {
  const faults = await checkSite(edition.outDir, edition.base);
  for (const { page, target, what } of faults) console.error(`${page}: ${target}: ${what}`);
  console.log(`${edition.version}: ${faults.length} faults of links`);
  if (faults.length > 0) process.exitCode = 1;
}

async function buildEdition(edition: Edition): Promise<void> {
  const pages = await stageSite(edition, staged);
  await build(staged);
  await writeMarkdown(pages, edition.outDir);
  console.log(`${edition.version}: ${pages.length} pages in ${edition.outDir}`);
  await checkEdition(edition);
}

async function buildSite(): Promise<void> {
  const releases = flags.releases ? await listReleases(root) : [];
  const current = await currentEdition(root, outDir, releases);
  await buildEdition(current);
  for (const tag of releases) await withRelease({ tag, current }, buildEdition);
}

async function serveSite(): Promise<void> {
  const edition = await currentEdition(root, outDir, []);
  await stageSite(edition, staged);
  const server = await createServer(staged, { host: '127.0.0.1', port: Number(flags.port) });
  await server.listen();
  server.printUrls();
  // VitePress watches the staged pages; a change of a document stages them again.
  watch(join(root, 'docs'), { recursive: true }, () => {
    stageSite(edition, staged).catch((error: unknown) => console.error(error));
  });
}

await (positionals[0] === 'serve' ? serveSite() : buildSite());
