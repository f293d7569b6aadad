import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiReference } from './api-pages.ts';
import { targetFinder, turnLinks } from './links.ts';
import { printLlmsIndex } from './llms.ts';
import { readNavigation, type NavigationItem } from './navigation.ts';
import { readDocuments, type SitePage } from './pages.ts';
import type { SiteFacts } from './site-config.ts';

/** One version of the documentation, and where it is to stand. */
export interface Edition {
  /** A checkout of the repository, or at least its documents. */
  readonly root: string;
  readonly version: string;
  readonly base: string;
  readonly outDir: string;
  /** Every version of the site, this one too. */
  readonly versions: readonly { readonly version: string; readonly base: string }[];
}

/**
 * Writes the pages of an edition as VitePress reads them into `folder`, which is emptied before: links turned to the
 * site, the API reference as pages, the configuration.
 */
export async function stageSite(edition: Edition, folder: string): Promise<readonly SitePage[]> {
  const documents = await readDocuments(edition.root);
  const openApi = await readFile(join(edition.root, 'docs/reference/openapi.json'), 'utf8');
  const api = apiReference(JSON.parse(openApi) as object);
  const find = targetFinder(documents.pages, documents.files);
  const pages = [
    ...documents.pages.map((page) => ({ ...page, text: turnLinks(page, find) })),
    ...api.pages,
    versionsPage(edition),
  ];
  const index = pages.find(({ path }) => path === 'index.md')?.text ?? '';
  const navigation = [...readNavigation(index), api.navigation];
  await rm(folder, { recursive: true, force: true });
  await Promise.all(pages.map(({ path, text }) => put(join(folder, path), text)));
  await Promise.all(
    documents.files.flatMap((name) => [
      copy(join(edition.root, 'docs', name), join(folder, name)),
      copy(join(edition.root, 'docs', name), join(folder, 'public', name)),
    ]),
  );
  await put(join(folder, 'public/llms.txt'), printLlmsIndex({ navigation, pages, base: edition.base }));
  await writeConfiguration(edition, folder, navigation);
  return pages;
}

/** Writes each page as Markdown into a built site, at its own address. */
export async function writeMarkdown(pages: readonly SitePage[], outDir: string): Promise<void> {
  await Promise.all(pages.map(({ path, text }) => put(join(outDir, path), text)));
}

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to);
}

async function writeConfiguration(
  { version, base, outDir }: Edition,
  folder: string,
  navigation: readonly NavigationItem[],
): Promise<void> {
  const facts: SiteFacts = { version, base, outDir, navigation };
  const place = join(folder, '.vitepress');
  const theme = fileURLToPath(new URL('theme.css', import.meta.url));
  const source = relative(place, fileURLToPath(new URL('site-config.ts', import.meta.url)));
  await put(
    join(place, 'config.mts'),
    `import { siteConfig } from '${source}';\n\nexport default siteConfig(${JSON.stringify(facts)});\n`,
  );
  await copy(theme, join(place, 'theme/theme.css'));
  await put(
    join(place, 'theme/index.ts'),
    `import DefaultTheme from 'vitepress/theme';\nimport './theme.css';\n\nexport default DefaultTheme;\n`,
  );
}

/** Every link is relative, as VitePress puts the path of this version only before others; `target` leaves its router. */
function versionsPage({ versions, version, base }: Edition): SitePage {
  const lines = versions.map((one) => {
    const path = posix.relative(base, one.base) || '.';
    return one.version === version
      ? `- ${one.version} (this one)`
      : `- [${one.version}](${path.startsWith('.') ? path : `./${path}`}/index.html){target="_self"}`;
  });
  return { source: undefined, path: 'versions.md', text: `# Versions\n\n${lines.join('\n')}\n` };
}
