import { describe, expect, it } from 'vitest';
import type { OcrWord } from './engine.ts';
import { toPage } from './to-page.ts';

const word = (text: string, x0: number, fontSize = 20): OcrWord => ({
  text,
  box: { x0, x1: x0 + 10 * text.length, y0: 100, y1: 120 },
  confidence: 0.9,
  baseline: 116,
  fontSize,
});

describe('the words of a page', () => {
  it('do not include letters that were read on a dot leader', () => {
    const words = [word('Quarkase', 10), word('a', 100, 4), word('4,78', 200), word('H', 300)];
    const page = toPage([{ words }], { image: { width: 800, height: 1000 }, scale: 0.5, number: 1 });
    expect(page.words.map(({ text }) => text)).toEqual(['Quarkase', '4,78', 'H']);
  });
});
