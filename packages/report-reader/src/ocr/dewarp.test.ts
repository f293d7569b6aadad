import { describe, expect, it } from 'vitest';
import type { OcrTextLine } from './engine.ts';
import { dewarpLines } from './dewarp.ts';

const SIZE = { width: 1900, height: 2500 };
const COLUMNS = [100, 800, 1200, 1650];

/** A table whose lines have this slope at the center of the page, and a larger one with every row. */
function table({ lean, fan }: { lean: number; fan: number }): OcrTextLine[] {
  return Array.from({ length: 30 }, (_, row) => row).flatMap((row) =>
    COLUMNS.map((x0): OcrTextLine => {
      const height = 60 * row - 900;
      const slope = lean + fan * height;
      const x1 = x0 + 160;
      const baseline = SIZE.height / 2 + height + slope * ((x0 + x1) / 2 - SIZE.width / 2);
      const box = { x0, x1, y0: baseline - 20, y1: baseline + 6 };
      const word = { text: `row${row}`, box, confidence: 1, baseline, fontSize: 26 };
      return { words: [word], slope };
    }),
  );
}

const wordsOf = (lines: readonly OcrTextLine[]) => lines.flatMap(({ words }) => words);

/** How far the words of the worst row stand apart in height. */
const worst = (lines: readonly OcrTextLine[]): number =>
  Math.max(
    ...lines.map((_, row) => {
      const places = wordsOf(lines)
        .filter(({ text }) => text === `row${row}`)
        .map(({ baseline }) => baseline);
      return Math.max(0, ...places) - Math.min(...places, Math.max(0, ...places));
    }),
  );

describe('the sloping lines of a photo', () => {
  it('are leveled, so that a value is in the row of its name and not in the row above', () => {
    const leaning = table({ lean: -0.11, fan: -0.0001 });
    expect(worst(leaning)).toBeGreaterThan(200);
    expect(worst(dewarpLines(leaning, SIZE).lines)).toBeLessThan(2);
  });

  it('can be mapped back to their positions on the image', () => {
    const leaning = table({ lean: 0.03, fan: 0.00003 });
    const { lines, toInput } = dewarpLines(leaning, SIZE);
    wordsOf(lines).forEach(({ box, baseline }, at) => {
      const was = wordsOf(leaning)[at];
      const { x, y } = toInput({ x: (box.x0 + box.x1) / 2, y: baseline });
      expect(Math.abs(x - ((was?.box.x0 ?? 0) + (was?.box.x1 ?? 0)) / 2)).toBeLessThan(3);
      expect(Math.abs(y - (was?.baseline ?? 0))).toBeLessThan(3);
    });
  });

  it('are unchanged if they are level, too few, or inconsistent', () => {
    const level = table({ lean: 0.002, fan: 0.000001 });
    expect(dewarpLines(level, SIZE).lines).toBe(level);
    const few = table({ lean: -0.11, fan: 0 }).slice(0, 6);
    expect(dewarpLines(few, SIZE).lines).toBe(few);
    const odd = level.map((line, at) => ({ ...line, slope: ((at % 7) - 3) / 20 }));
    expect(worst(dewarpLines(odd, SIZE).lines)).toBeLessThan(10);
  });
});
