import type { DrawingMark } from './marks.ts';

/** A horizontal strip of a page that is never split: its height and its content. */
export interface LayoutStrip {
  readonly height: number;
  readonly marks: readonly DrawingMark[];
  /** Must not be the last strip of a page. */
  readonly keepWithNext?: boolean;
  /** Repeated at the top of a page that starts with this strip. */
  readonly head?: LayoutStrip;
  /** White space, omitted at the top of a page. */
  readonly isGap?: boolean;
}

export const gap = (height: number): LayoutStrip => ({ height, marks: [], isGap: true });

/** Distributes strips over pages in order. `roomOn` is the available height of a page, counted from 0. */
export function paginate(strips: readonly LayoutStrip[], roomOn: (page: number) => number): LayoutStrip[][] {
  const pages: LayoutStrip[][] = [[]];
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

/** Groups strips that must stay together. */
function groupsOf(strips: readonly LayoutStrip[]): LayoutStrip[][] {
  const groups: LayoutStrip[][] = [];
  let isOpen = false;
  for (const strip of strips) {
    if (isOpen) groups.at(-1)?.push(strip);
    else groups.push([strip]);
    isOpen = strip.keepWithNext === true;
  }
  return groups;
}

export const heightOf = (strips: readonly LayoutStrip[]): number =>
  strips.reduce((sum, strip) => sum + strip.height, 0);
