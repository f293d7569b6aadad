import { describe, expect, it } from 'vitest';
import type { SeenLine } from './engine.ts';
import { levelled } from './levelling.ts';

const SIZE = { width: 1900, height: 2500 };
const COLUMNS = [100, 800, 1200, 1650];

/** A table whose lines fall by so much at the middle of the page, and by more with every row. */
function table({ lean, fan }: { lean: number; fan: number }): SeenLine[] {
  return Array.from({ length: 30 }, (_, row) => row).flatMap((row) =>
    COLUMNS.map((x0): SeenLine => {
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

const wordsOf = (lines: readonly SeenLine[]) => lines.flatMap(({ words }) => words);

/** How far the words of the worst row stand apart in height. */
const worst = (lines: readonly SeenLine[]): number =>
  Math.max(
    ...lines.map((_, row) => {
      const places = wordsOf(lines)
        .filter(({ text }) => text === `row${row}`)
        .map(({ baseline }) => baseline);
      return Math.max(0, ...places) - Math.min(...places, Math.max(0, ...places));
    }),
  );

describe('lines of a photograph that lean', () => {
  it('are put level, so that a value stands beside its name and not beside the name above', () => {
    const leaning = table({ lean: -0.11, fan: -0.0001 });
    expect(worst(leaning)).toBeGreaterThan(200);
    expect(worst(levelled(leaning, SIZE).lines)).toBeLessThan(2);
  });

  it('are found again on the picture where they were', () => {
    const leaning = table({ lean: 0.03, fan: 0.00003 });
    const { lines, toRead } = levelled(leaning, SIZE);
    wordsOf(lines).forEach(({ box, baseline }, at) => {
      const was = wordsOf(leaning)[at];
      const { x, y } = toRead({ x: (box.x0 + box.x1) / 2, y: baseline });
      expect(Math.abs(x - ((was?.box.x0 ?? 0) + (was?.box.x1 ?? 0)) / 2)).toBeLessThan(3);
      expect(Math.abs(y - (was?.baseline ?? 0))).toBeLessThan(3);
    });
  });

  it('stay as they are where they are level, few, or at odds', () => {
    const level = table({ lean: 0.002, fan: 0.000001 });
    expect(levelled(level, SIZE).lines).toBe(level);
    const few = table({ lean: -0.11, fan: 0 }).slice(0, 6);
    expect(levelled(few, SIZE).lines).toBe(few);
    const odd = level.map((line, at) => ({ ...line, slope: ((at % 7) - 3) / 20 }));
    expect(worst(levelled(odd, SIZE).lines)).toBeLessThan(10);
  });
});
