import { describe, expect, it } from 'vitest';
import { doubtAstray } from './astray.ts';
import type { SeenLine } from './engine.ts';

const SIZE = { width: 1900, height: 2500 };

/** A table of names and values whose lines fall by so much for each pixel to the right, as they lie at that height. */
function table(slopeAt: (y: number) => number, { pitch = 50 } = {}): SeenLine[] {
  return Array.from({ length: 36 }, (_, row) => 300 + pitch * row).flatMap((y) =>
    [100, 800].map((x0): SeenLine => {
      const slope = slopeAt(y);
      const baseline = y + slope * (x0 - 100);
      const box = { x0, x1: x0 + 250, y0: baseline - 20, y1: baseline + 6 };
      return { slope, words: [{ text: `${y}`, box, confidence: 0.98, baseline, fontSize: 26 }] };
    }),
  );
}

const doubted = (lines: readonly SeenLine[]): number[] =>
  doubtAstray(lines, SIZE)
    .filter(({ words }) => words.every(({ confidence }) => confidence < 0.75))
    .map(({ words }) => Number(words[0]?.text));

describe('lines that lean', () => {
  it('are sure where a row stays a row', () => {
    expect(doubted(table(() => 0))).toEqual([]);
    expect(doubted(table(() => 0.015))).toEqual([]);
    // Rows that stand far apart may lean more.
    expect(doubted(table(() => 0.04, { pitch: 90 }))).toEqual([]);
  });

  it('are doubted where a value may be that of the row above', () => {
    // But for two rows at the top and at the bottom, which have nothing beside them that could be taken for theirs.
    expect(doubted(table(() => -0.11))).toHaveLength(68);
  });

  it('are doubted only on the part of a folded sheet where they lean', () => {
    const below = doubted(table((y) => (y > 1200 ? 0.09 : 0)));
    expect(below.length).toBeGreaterThan(30);
    expect(Math.min(...below)).toBeGreaterThan(1000);
  });
});
