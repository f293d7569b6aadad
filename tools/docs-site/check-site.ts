import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';

/** A link of a page that leads nowhere, or something that a page would load from another host. */
interface SiteFault {
  readonly page: string;
  readonly target: string;
  readonly what: 'no such page' | 'no such place on the page' | 'loads from another host';
}

interface BuiltPage {
  readonly path: string;
  readonly markup: string;
  readonly ids: ReadonlySet<string>;
}

const ID = /\sid="([^"]+)"/g;
const HREF = /<a\s[^>]*?href="([^"]+)"/g;
const LOADED = /<(?:script|img|source|iframe)\s[^>]*?src="([^"]+)"|<link\s[^>]*?href="([^"]+)"/g;
const FOREIGN = /^(?:https?:)?\/\//;

/** Follows every link of every page in a built site that stands at `base`, to the page and to the place on it. */
export async function checkSite(folder: string, base: string): Promise<readonly SiteFault[]> {
  const names = (await readdir(folder, { recursive: true }))
    .filter((name) => name.endsWith('.html'))
    .toSorted();
  const pages = await Promise.all(names.map((name) => readPage(folder, name)));
  const byPath = new Map(pages.map((page) => [page.path, page]));
  return pages.flatMap((page) => [
    ...linksOf(page)
      .map((target) => faultOf({ folder, base, byPath, page }, target))
      .filter((fault) => fault !== undefined),
    ...foreignLoads(page),
  ]);
}

async function readPage(folder: string, path: string): Promise<BuiltPage> {
  const markup = await readFile(join(folder, path), 'utf8');
  return { path, markup, ids: new Set([...markup.matchAll(ID)].map(([, id = '']) => decode(id))) };
}

const linksOf = ({ markup }: BuiltPage): readonly string[] => [
  ...new Set([...markup.matchAll(HREF)].map(([, target = '']) => decode(target))),
];

const decode = (text: string): string => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"');

interface Place {
  readonly folder: string;
  readonly base: string;
  readonly byPath: ReadonlyMap<string, BuiltPage>;
  readonly page: BuiltPage;
}

function faultOf({ folder, base, byPath, page }: Place, target: string): SiteFault | undefined {
  if (/^[a-z]+:/.test(target) || FOREIGN.test(target)) return undefined;
  const [path = '', anchor] = target.split('#');
  const found = resolvePath(base, page.path, path);
  // Another version of the site is built on its own.
  if (found === undefined) return undefined;
  const other = byPath.get(found);
  if (!other)
    return existsSync(join(folder, found)) ? undefined : { page: page.path, target, what: 'no such page' };
  if (anchor === undefined || anchor === '' || other.ids.has(decodeURIComponent(anchor))) return undefined;
  return { page: page.path, target, what: 'no such place on the page' };
}

/** The file that a path leads to; undefined when it leaves this version of the site. */
function resolvePath(base: string, from: string, path: string): string | undefined {
  if (path === '') return from;
  if (path.startsWith('/') && !path.startsWith(base)) return undefined;
  const whole = path.startsWith('/') ? path.slice(base.length) : posix.join(posix.dirname(from), path);
  return whole === '' || whole.endsWith('/') ? posix.join(whole, 'index.html') : whole;
}

function foreignLoads(page: BuiltPage): readonly SiteFault[] {
  return [...page.markup.matchAll(LOADED)]
    .map(([, source, link]) => source ?? link ?? '')
    .filter((target) => FOREIGN.test(target))
    .map((target) => ({ page: page.path, target, what: 'loads from another host' as const }));
}
