import { tableBeside } from './beside-tables.ts';
import { listsBeside } from './bullet-lists.ts';
import { cardGrid } from './card-grids.ts';
import { type Column, headerAt } from './columns.ts';
import { namesAnalyte } from './lexicon/analytes.ts';
import { type Row, rowsOf, textOf } from './rows.ts';
import { unitLength } from './units.ts';
import { sideBySide } from './side-by-side.ts';
import type { Page, Word } from './word.ts';

/** The lines of a page in the order of reading: tables that stand side by side come one after the other. */
export const stripsOf = (page: Page): Strip[] => stripsOfWords(page.words);

/** Lines that are read one after the other. */
export interface Strip {
  readonly rows: readonly Row[];
  /** Whether it stands beside others and has nothing of the columns above. */
  readonly isApart: boolean;
  /** Where its fields stand, though no heading says so. */
  readonly columns?: readonly Column[];
}

function stripsOfWords(words: readonly Word[]): Strip[] {
  const rows = rowsOf(words);
  const heads = rows.findIndex((_, index) => (headerAt(rows, index)?.columns.length ?? 0) > 0);
  const grid = cardGrid(rows);
  const cards = sideBySide(rows) ?? (heads < 0 ? listsBeside(rows) : undefined);
  const ofHeads = cutOfHeads(rows);
  const beside = ofHeads ? undefined : tableBeside(rows);
  const cut = firstOf([grid, ofHeads, cards, beside, heads < 0 ? silentCut(rows) : undefined]);
  if (!cut) return [{ rows, isApart: false }];
  if (grid && cut === grid) {
    // Print of two sizes side by side overlaps: what is of a card is of nothing else.
    const others = words.filter((word) => !grid.words.has(word));
    const above = others.filter(({ box }) => box.y0 < grid.top);
    const below = others.filter(({ box }) => box.y0 >= grid.top);
    return [
      ...(above.length > 0 ? [{ rows: rowsOf(above), isApart: false }] : []),
      ...grid.strips.map((lines) => ({ rows: lines, isApart: true })),
      ...(below.length > 0 ? stripsOfWords(below) : []),
    ];
  }
  const above = words.filter((word) => word.box.y0 < cut.top);
  const inside = words.filter((word) => word.box.y0 >= cut.top && word.box.y0 < cut.bottom);
  const below = words.filter((word) => word.box.y0 >= cut.bottom);
  const edges = [Number.NEGATIVE_INFINITY, ...cut.cuts, Number.POSITIVE_INFINITY];
  const parts = edges.slice(1).map((right, index) => {
    const left = edges[index] ?? 0;
    return inside.filter((word) => word.box.x0 >= left && word.box.x0 < right);
  });
  const strips = [above, ...parts]
    .filter((part) => part.length > 0)
    .map((part) => {
      const columns = cut === beside ? beside?.columns[parts.indexOf(part)] : undefined;
      const isApart = (cut === cards || cut === beside) && part !== above;
      return { rows: rowsOf(part), isApart, ...(columns ? { columns } : {}) };
    });
  return below.length > 0 ? [...strips, ...stripsOfWords(below)] : strips;
}

interface Cut {
  readonly top: number;
  readonly bottom: number;
  readonly cuts: readonly number[];
}

const firstOf = (cuts: readonly (Cut | undefined)[]): Cut | undefined =>
  cuts.filter((cut) => cut !== undefined).toSorted((a, b) => a.top - b.top)[0];

/** Headings that begin a second table beside the first. */
function cutOfHeads(rows: readonly Row[]): Cut | undefined {
  for (const [index, row] of rows.entries()) {
    const cuts = headerAt(rows, index)?.cuts ?? [];
    if (cuts.length > 0) return { top: row.box.y0 - 1, bottom: Number.POSITIVE_INFINITY, cuts };
  }
  return undefined;
}

const LEAST_ROWS = 5;

/**
 * Where a second table begins beside the first without a heading: names of analytes that stand under each other,
 * each with a number before it and one behind it in its line.
 */
function silentCut(rows: readonly Row[]): Cut | undefined {
  const starts = rows.flatMap((row) =>
    row.segments.flatMap((segment, index) => {
      const text = textOf(segment.words);
      const isName =
        namesAnalyte(text) &&
        unitLength(text.split(' '), 0) === 0 &&
        /^\p{L}/u.test(segment.words[0]?.text ?? '');
      const hasNumbers =
        row.segments.slice(1, index).some(hasNumber) && row.segments.slice(index + 1).some(hasNumber);
      return isName && hasNumbers ? [{ x: segment.box.x0, y: row.box.y0 }] : [];
    }),
  );
  for (const { x } of starts) {
    const aligned = starts.filter((start) => Math.abs(start.x - x) < 3);
    const crossing = rows.filter(({ segments }) =>
      segments.some(({ box }) => box.x0 < x - 4 && box.x1 > x + 4),
    );
    if (aligned.length < LEAST_ROWS || crossing.length > aligned.length * 0.3) continue;
    return {
      top: Math.min(...aligned.map(({ y }) => y)) - 1,
      bottom: Number.POSITIVE_INFINITY,
      cuts: [x - 3],
    };
  }
  return undefined;
}

const hasNumber = ({ words }: { words: readonly Word[] }): boolean =>
  words.some((word) => /^[<>*]?\d+(?:[.,]\d+)?[HL*]?$/.test(word.text));
