import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A page of the site: where its text comes from, and where it stands. Both with `/`, below their roots. */
export interface SitePage {
  /** In the repository; undefined for a page that is made from the OpenAPI document. */
  readonly source: string | undefined;
  /** In the site, ending in `.md`. */
  readonly path: string;
  readonly text: string;
}

/** Documents at the root of the repository that belong to the site. */
const ROOT_DOCUMENTS: Readonly<Record<string, string>> = {
  'ARCHITECTURE.md': 'explanation/architecture.md',
  'CHANGELOG.md': 'changelog.md',
  'CODE_OF_CONDUCT.md': 'code-of-conduct.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'security.md',
  'README.md': 'readme.md',
  'packages/report-reader/README.md': 'reference/report-reader.md',
};

/** What stands in the documents of a repository: its pages, and the other files in `docs/` that pages show or link. */
interface Documents {
  readonly pages: readonly SitePage[];
  /** Below `docs/`: pictures, examples, the OpenAPI document. */
  readonly files: readonly string[];
}

export async function readDocuments(root: string): Promise<Documents> {
  const below = (await readdir(join(root, 'docs'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, 'docs/').length))
    .filter((name) => !name.startsWith('.'))
    .toSorted();
  const isPage = (name: string) => name.endsWith('.md');
  const places = [
    ...below.filter(isPage).map((name) => [`docs/${name}`, placeOf(name)] as const),
    ...Object.entries(ROOT_DOCUMENTS),
  ];
  const pages = await Promise.all(
    places.map(async ([source, path]) => ({
      source,
      path,
      text: await readFile(join(root, source), 'utf8'),
    })),
  );
  return { pages, files: below.filter((name) => !isPage(name)) };
}

/** The page of a folder is its `README.md`, which servers of files call `index`. */
const placeOf = (name: string): string => name.replace(/(^|\/)README[.]md$/, '$1index.md');

/** The first heading of a page, without its marks. */
export const titleOf = ({ text, path }: SitePage): string =>
  (/^# (.+)$/m.exec(text)?.[1] ?? path).replaceAll('`', '');

/** Where a page is found in the site: `how-to/deploy.md` is `how-to/deploy.html`. */
export const addressOf = (path: string): string => path.replace(/[.]md$/, '.html');
