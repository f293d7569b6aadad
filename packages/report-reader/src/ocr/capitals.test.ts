import { describe, expect, it } from 'vitest';
import { correctCapitals } from './capitals.ts';
import type { OcrWord } from './engine.ts';

const word = (text: string, x0: number, fontSize: number, baseline = 20): OcrWord => ({
  text,
  box: { x0, x1: x0 + 10, y0: 0, y1: 20 },
  confidence: 0.7,
  baseline,
  fontSize,
});

/** What a letter is taken for behind print of this size. */
const taken = (letter: string, size: number, beside: OcrWord[] = [word('Cefotaxime', 0, 20)]) =>
  correctCapitals([...beside, word(letter, 200, size)]).at(-1)?.text;

describe('a single letter', () => {
  it.each([
    ['s', 27, 'S'],
    ['s', 20, 's'],
    ['S', 20, 'S'],
    ['S', 15, 's'],
    ['r', 27, 'r'],
    ['o', 28, 'o'],
  ])('is a capital if it is as large as the print next to it: %s of size %i', (letter, size, printed) => {
    expect(taken(letter, size)).toBe(printed);
  });

  it('is unchanged if there is no other word in the row', () => {
    expect(taken('s', 27, [word('Cefotaxime', 0, 20, 80)])).toBe('s');
  });
});
