import { posix } from 'node:path';
import type { SitePage } from './pages.ts';

/** Where the target of a relative link stands in the site; undefined when the site does not have it. */
type FindTarget = (repositoryPath: string) => string | undefined;

const FENCE = /^(?:```|~~~)/;
const IMAGE = /(!)\[([^\]]*)\]\(([^()\s]+)\)/g;
/** The words of a link may be an image. */
const LINK = /(?<!!)()\[((?:[^\][]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g;

/**
 * The text of a page with its relative links turned to the site: to the page or file that stands there, and without a
 * link where the site has none (source code). Links in fenced code stay.
 */
export function turnLinks(page: SitePage, find: FindTarget): string {
  if (page.source === undefined) return page.text;
  const from = posix.dirname(page.source);
  const here = posix.dirname(page.path);
  const turn = (whole: string, ...[mark = '', words = '', target = '']: string[]): string => {
    if (/^(?:[a-z]+:|#)/.test(target)) return whole;
    const [path = '', anchor] = target.split('#');
    const place = find(posix.normalize(posix.join(from, path)));
    if (place === undefined) return mark === '' ? words : '';
    return `${mark}[${words}](${relativeTo(here, place)}${anchor === undefined ? '' : `#${anchor}`})`;
  };
  return splitFences(page.text)
    .map(({ fenced, text }) => (fenced ? text : text.replace(IMAGE, turn).replace(LINK, turn)))
    .join('\n');
}

interface Stretch {
  readonly fenced: boolean;
  readonly text: string;
}

/** The text in turns: outside of fenced code, inside it with its first fence, outside again. */
function splitFences(text: string): readonly Stretch[] {
  const stretches: { fenced: boolean; lines: string[] }[] = [{ fenced: false, lines: [] }];
  for (const line of text.split('\n')) {
    const open = stretches.at(-1);
    if (FENCE.test(line.trim())) stretches.push({ fenced: open?.fenced !== true, lines: [line] });
    else open?.lines.push(line);
  }
  return stretches
    .filter(({ lines }) => lines.length > 0)
    .map(({ fenced, lines }) => ({ fenced, text: lines.join('\n') }));
}

function relativeTo(folder: string, target: string): string {
  const path = posix.relative(folder, target);
  return path.startsWith('.') ? path : `./${path}`;
}

/** Finds pages by their source, folders by their `README.md`, and the other files of `docs/`. */
export function targetFinder(pages: readonly SitePage[], files: readonly string[]): FindTarget {
  const places = new Map<string, string>(files.map((name) => [`docs/${name}`, name]));
  for (const { source, path } of pages) {
    if (source === undefined) continue;
    places.set(source, path);
    if (posix.basename(path) === 'index.md') places.set(posix.dirname(source), path);
  }
  return (path) => places.get(path.replace(/\/$/, ''));
}
