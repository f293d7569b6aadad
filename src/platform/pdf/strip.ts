import type { Mark } from './marks.ts';

/** A strip of a page that is never cut: how high it is, and what stands in it. */
export interface Strip {
  readonly height: number;
  readonly marks: readonly Mark[];
  /** Does not stand alone at the foot of a page. */
  readonly keepWithNext?: boolean;
  /** Repeated at the head of a page that begins with this strip. */
  readonly head?: Strip;
  /** White space: left out at the head of a page. */
  readonly isGap?: boolean;
}

export const gap = (height: number): Strip => ({ height, marks: [], isGap: true });

/** Fills pages with strips, in their order; `roomOn` is the height of a page, of which 0 is the first. */
export function paginate(strips: readonly Strip[], roomOn: (page: number) => number): Strip[][] {
  const pages: Strip[][] = [[]];
  let left = roomOn(0);
  for (const group of groupsOf(strips)) {
    const needed = heightOf(group);
    const isFresh = pages.at(-1)?.length === 0;
    if (needed > left && !isFresh) {
      left = roomOn(pages.length);
      pages.push([]);
    }
    const page = pages.at(-1);
    if (!page) continue;
    if (page.length === 0 && group[0]?.isGap) continue;
    const head = page.length === 0 ? group[0]?.head : undefined;
    const placed = head ? [head, ...group] : group;
    page.push(...placed);
    left -= heightOf(placed);
  }
  return pages;
}

/** A strip with those that it does not want to lose. */
function groupsOf(strips: readonly Strip[]): Strip[][] {
  const groups: Strip[][] = [];
  let isOpen = false;
  for (const strip of strips) {
    if (isOpen) groups.at(-1)?.push(strip);
    else groups.push([strip]);
    isOpen = strip.keepWithNext === true;
  }
  return groups;
}

export const heightOf = (strips: readonly Strip[]): number =>
  strips.reduce((sum, strip) => sum + strip.height, 0);
