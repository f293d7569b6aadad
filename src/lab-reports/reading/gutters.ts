import { headerAt } from './columns.ts';
import { namesAnalyte } from './lexicon/analytes.ts';
import { type Row, rowsOf, textOf } from './rows.ts';
import { unitLength } from './units.ts';
import type { Page, Word } from './word.ts';

/** The lines of a page in the order of reading: tables that stand side by side come one after the other. */
export function stripsOf(page: Page): Row[][] {
  const rows = rowsOf(page.words);
  let hasHeader = false;
  for (const [index, row] of rows.entries()) {
    const header = headerAt(rows, index);
    const cuts = header?.cuts ?? [];
    hasHeader ||= header !== undefined;
    if (cuts.length > 0) return splitAt(page.words, { top: row.box.y0 - 1, cuts });
  }
  const cut = hasHeader ? undefined : silentCut(rows);
  return cut ? splitAt(page.words, cut) : [rows];
}

interface Cut {
  readonly top: number;
  readonly cuts: readonly number[];
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
    return { top: Math.min(...aligned.map(({ y }) => y)) - 1, cuts: [x - 3] };
  }
  return undefined;
}

const hasNumber = ({ words }: { words: readonly Word[] }): boolean =>
  words.some((word) => /^[<>*]?\d+(?:[.,]\d+)?[HL*]?$/.test(word.text));

function splitAt(words: readonly Word[], { top, cuts }: Cut): Row[][] {
  const above = words.filter((word) => word.box.y0 < top);
  const below = words.filter((word) => word.box.y0 >= top);
  const edges = [Number.NEGATIVE_INFINITY, ...cuts, Number.POSITIVE_INFINITY];
  const parts = edges.slice(1).map((right, index) => {
    const left = edges[index] ?? 0;
    return below.filter((word) => word.box.x0 >= left && word.box.x0 < right);
  });
  return [above, ...parts].filter((part) => part.length > 0).map(rowsOf);
}
