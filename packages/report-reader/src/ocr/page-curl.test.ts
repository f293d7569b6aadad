import { describe, expect, it } from 'vitest';
import { flattenCurl } from './page-curl.ts';
import type { OcrTextLine } from './engine.ts';

const SIZE = { width: 1900, height: 2500 };
const COLUMNS = [100, 700, 1100, 1600];

/** How far too low the print is at a point, on a sheet whose ends hang down by this much. */
const fallAt = (x: number, y: number, by: number): number =>
  by * (x / 950 - 1) ** 2 + (by / 4) * (x / 950 - 1) ** 3 + (by / 6) * (x / 950 - 1) ** 2 * (y / 1250 - 1);

/** A table of thirty rows on that sheet. */
function table(by: number): OcrTextLine[] {
  return Array.from({ length: 30 }, (_, row) => row).flatMap((row) =>
    COLUMNS.map((x0): OcrTextLine => {
      const x1 = x0 + 160;
      const y = 200 + 70 * row;
      const baseline = y + fallAt((x0 + x1) / 2, y, by);
      const slope = (fallAt(x1, y, by) - fallAt(x0, y, by)) / (x1 - x0);
      const box = { x0, x1, y0: baseline - 20, y1: baseline + 6 };
      return { words: [{ text: `row${row}`, box, confidence: 1, baseline, fontSize: 26 }], slope };
    }),
  );
}

const wordsOf = (lines: readonly OcrTextLine[]) => lines.flatMap(({ words }) => words);

/** How far the words of the worst row stand apart in height. */
function worst(lines: readonly OcrTextLine[]): number {
  const rows = new Map<string, number[]>();
  for (const { text, baseline } of wordsOf(lines)) rows.set(text, [...(rows.get(text) ?? []), baseline]);
  return Math.max(...[...rows.values()].map((places) => Math.max(...places) - Math.min(...places)));
}

describe('the lines of a curled page', () => {
  it('are leveled, so that a value is in the row of its name', () => {
    const curled = table(60);
    expect(worst(curled)).toBeGreaterThan(40);
    expect(worst(flattenCurl(curled, SIZE).lines)).toBeLessThan(3);
  });

  it('are leveled despite outliers, such as a stamp', () => {
    const stamped = table(60).map((line, at) => (at % 9 === 4 ? { ...line, slope: 0.2 } : line));
    expect(worst(flattenCurl(stamped, SIZE).lines)).toBeLessThan(3);
  });

  it('can be mapped back to their original positions', () => {
    const curled = table(-45);
    const { lines, toInput } = flattenCurl(curled, SIZE);
    wordsOf(lines).forEach(({ box, baseline }, at) => {
      const { y } = toInput({ x: (box.x0 + box.x1) / 2, y: baseline });
      expect(Math.abs(y - (wordsOf(curled)[at]?.baseline ?? 0))).toBeLessThan(1);
    });
  });

  it('are unchanged if they are level, too few, or inconsistent', () => {
    for (const lines of [table(0), table(3), table(60).slice(0, 20)])
      expect(flattenCurl(lines, SIZE).lines).toBe(lines);
    const odd = table(0).map((line, at) => ({ ...line, slope: ((at % 7) - 3) / 20 }));
    expect(flattenCurl(odd, SIZE).lines).toBe(odd);
  });
});
