import { describe, expect, it } from 'vitest';
import type { SeenWord } from './engine.ts';
import { pageOf } from './to-page.ts';

const word = (text: string, x0: number, fontSize = 20): SeenWord => ({
  text,
  box: { x0, x1: x0 + 10 * text.length, y0: 100, y1: 120 },
  confidence: 0.9,
  baseline: 116,
  fontSize,
});

describe('the words of a page', () => {
  it('are without letters that were read on the dots that lead to a value', () => {
    const words = [word('Quarkase', 10), word('a', 100, 4), word('4,78', 200), word('H', 300)];
    const page = pageOf([{ words }], { image: { width: 800, height: 1000 }, scale: 0.5, number: 1 });
    expect(page.words.map(({ text }) => text)).toEqual(['Quarkase', '4,78', 'H']);
  });
});
