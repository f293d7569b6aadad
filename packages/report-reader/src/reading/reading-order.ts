import { findAdjacentTables } from './adjacent-tables.ts';
import { findAdjacentLists } from './bullet-lists.ts';
import { findCardGrid } from './card-grids.ts';
import { type ReportColumn, findHeaderAt } from './columns.ts';
import { hasAnalyteWord } from './lexicon/analytes.ts';
import { type TextRow, groupIntoRows, joinWords } from './rows.ts';
import { unitLength } from './units.ts';
import { findCardArea } from './side-by-side.ts';
import type { ReportPage, ReportWord } from './report-model.ts';

/** Splits a page into strips in reading order: tables side by side follow one after the other. */
export const splitIntoStrips = (page: ReportPage): PageStrip[] => splitWords(page.words);

/** Rows that are read one after the other. */
interface PageStrip {
  readonly rows: readonly TextRow[];
  /** Whether it stands next to others and does not inherit the columns above. */
  readonly isApart: boolean;
  /** Where its fields are, if no heading says so. */
  readonly columns?: readonly ReportColumn[];
}

function splitWords(words: readonly ReportWord[]): PageStrip[] {
  const rows = groupIntoRows(words);
  const heads = rows.findIndex((_, index) => (findHeaderAt(rows, index)?.columns.length ?? 0) > 0);
  const grid = findCardGrid(rows);
  const cards = findCardArea(rows) ?? (heads < 0 ? findAdjacentLists(rows) : undefined);
  const ofHeads = splitAtHeadings(rows);
  const beside = ofHeads ? undefined : findAdjacentTables(rows);
  const cut = findTopmost([grid, ofHeads, cards, beside, heads < 0 ? splitWithoutHeadings(rows) : undefined]);
  if (!cut) return [{ rows, isApart: false }];
  if (grid && cut === grid) {
    // Print of two sizes side by side overlaps: words of a card belong to nothing else.
    const others = words.filter((word) => !grid.words.has(word));
    const above = others.filter(({ box }) => box.y0 < grid.top);
    const below = others.filter(({ box }) => box.y0 >= grid.top);
    return [
      ...(above.length > 0 ? [{ rows: groupIntoRows(above), isApart: false }] : []),
      ...grid.strips.map((lines) => ({ rows: lines, isApart: true })),
      ...(below.length > 0 ? splitWords(below) : []),
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
      return { rows: groupIntoRows(part), isApart, ...(columns ? { columns } : {}) };
    });
  return below.length > 0 ? [...strips, ...splitWords(below)] : strips;
}

interface PageSplit {
  readonly top: number;
  readonly bottom: number;
  readonly cuts: readonly number[];
}

const findTopmost = (cuts: readonly (PageSplit | undefined)[]): PageSplit | undefined =>
  cuts.filter((cut) => cut !== undefined).toSorted((a, b) => a.top - b.top)[0];

/** Headings that begin a second table to the right of the first. */
function splitAtHeadings(rows: readonly TextRow[]): PageSplit | undefined {
  for (const [index, row] of rows.entries()) {
    const cuts = findHeaderAt(rows, index)?.cuts ?? [];
    if (cuts.length > 0) return { top: row.box.y0 - 1, bottom: Number.POSITIVE_INFINITY, cuts };
  }
  return undefined;
}

const LEAST_ROWS = 5;

/**
 * Finds where a second table without headings begins: aligned analyte names, each with a number before and after it in
 * its row.
 */
function splitWithoutHeadings(rows: readonly TextRow[]): PageSplit | undefined {
  const starts = rows.flatMap((row) =>
    row.segments.flatMap((segment, index) => {
      const text = joinWords(segment.words);
      const isName =
        hasAnalyteWord(text) &&
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

const hasNumber = ({ words }: { words: readonly ReportWord[] }): boolean =>
  words.some((word) => /^[<>*]?\d+(?:[.,]\d+)?[HL*]?$/.test(word.text));
