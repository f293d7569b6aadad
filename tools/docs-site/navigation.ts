import { posix } from 'node:path';

/** A group of the side bar, or a page in one. */
export interface NavigationItem {
  readonly text: string;
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: readonly NavigationItem[];
}

interface Group {
  text: string;
  items: NavigationItem[];
}

const HEADING = /^## (.+)$/;
const SUBGROUP = /^([A-Z][A-Za-z ]+?)(?: \(.*\))?:$/;
const ENTRY = /^- /;
const LINK = /\[([^\]]+)\]\(([^)#\s]+[.]md)(?:#[^)]*)?\)/g;

/**
 * The side bar is what the first page of the documentation lists, which is the only table of contents: a group for
 * each heading, one inside for each line that ends in a colon, and an entry for each link in its lists.
 */
export function readNavigation(index: string): NavigationItem[] {
  const groups: Group[] = [];
  let open: Group | undefined;
  for (const line of joinWrapped(index)) {
    const heading = HEADING.exec(line)?.[1];
    const subgroup = SUBGROUP.exec(line)?.[1];
    if (heading !== undefined) {
      open = { text: heading, items: [] };
      groups.push(open);
    } else if (subgroup !== undefined && groups.length > 0) {
      open = { text: subgroup, items: [] };
      groups.at(-1)?.items.push({ ...open, collapsed: true });
    } else if (ENTRY.test(line)) {
      for (const [, text = '', target = ''] of line.matchAll(LINK))
        open?.items.push({ text: text.replaceAll('`', ''), link: toAddress(target) });
    }
  }
  return groups;
}

/** Lines that go on below, indented, are one line. */
function joinWrapped(text: string): string[] {
  return text.replaceAll(/\n {2,}(?=\S)/g, ' ').split('\n');
}

const toAddress = (target: string): string =>
  `/${posix.normalize(target).replace(/README[.]md$/, 'index.md')}`;
