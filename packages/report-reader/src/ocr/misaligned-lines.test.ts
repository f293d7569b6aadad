import { describe, expect, it } from 'vitest';
import { doubtMisalignedLines } from './misaligned-lines.ts';
import type { OcrTextLine } from './engine.ts';

const SIZE = { width: 1900, height: 2500 };

/** A table of names and values; `slopeAt` returns the slope of the lines at a height. */
function table(slopeAt: (y: number) => number, { pitch = 50 } = {}): OcrTextLine[] {
  return Array.from({ length: 36 }, (_, row) => 300 + pitch * row).flatMap((y) =>
    [100, 800].map((x0): OcrTextLine => {
      const slope = slopeAt(y);
      const baseline = y + slope * (x0 - 100);
      const box = { x0, x1: x0 + 250, y0: baseline - 20, y1: baseline + 6 };
      return { slope, words: [{ text: `${y}`, box, confidence: 0.98, baseline, fontSize: 26 }] };
    }),
  );
}

const doubted = (lines: readonly OcrTextLine[]): number[] =>
  doubtMisalignedLines(lines, SIZE)
    .filter(({ words }) => words.every(({ confidence }) => confidence < 0.75))
    .map(({ words }) => Number(words[0]?.text));

describe('sloping lines', () => {
  it('keep their confidence while rows stay separate', () => {
    expect(doubted(table(() => 0))).toEqual([]);
    expect(doubted(table(() => 0.015))).toEqual([]);
    // Rows that are far apart may slope more.
    expect(doubted(table(() => 0.04, { pitch: 90 }))).toEqual([]);
  });

  it('lose confidence where a value may belong to the row above', () => {
    // Except the outer rows, which have no other row next to them that could be confused with theirs.
    expect(doubted(table(() => -0.11))).toHaveLength(68);
  });

  it('lose confidence only on the sloping part of a folded sheet', () => {
    const below = doubted(table((y) => (y > 1200 ? 0.09 : 0)));
    expect(below.length).toBeGreaterThan(30);
    expect(Math.min(...below)).toBeGreaterThan(1000);
  });
});
