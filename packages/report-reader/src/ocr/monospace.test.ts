import { describe, expect, it } from 'vitest';
import type { OcrTextLine, OcrWord } from './engine.ts';
import { postprocessLines } from './postprocess.ts';

const PITCH = 12;

/** A word whose first letter is in this cell; `bare` pixels of the cells are empty at both ends. */
const typed = (text: string, cell: number, bare = 1.5): OcrWord => ({
  text,
  box: { x0: cell * PITCH + bare, x1: (cell + text.length) * PITCH - bare, y0: 0, y1: 20 },
  confidence: 0.98,
  baseline: 16,
  fontSize: 20,
});

const NAMES =
  'Sodium Potassium Chloride Calcium Albumin Globulin Bilirubin Creatinine Glucose Iron Zinc Copper';
const PAGE: OcrTextLine[] = NAMES.split(' ').map((name) => ({ words: [typed(name, 0)] }));

const read = (...words: OcrWord[]): OcrWord[] =>
  postprocessLines([{ words }, ...PAGE]).slice(0, -PAGE.length);
const texts = (...words: OcrWord[]): string[] => read(...words).map(({ text }) => text);

describe('the words of a page in a monospaced font', () => {
  it.each([
    ['before and after a slim letter', [typed('Hematocri', 0), typed('t', 9, 4)], ['Hematocrit']],
    ['about a stroke', [typed('x10E3', 0), typed('/uL', 5)], ['x10E3/uL']],
    ['before a bracket', [typed('(', 0, 4), typed('ESR)', 1)], ['(ESR)']],
    ['behind a stop', [typed('Geb', 0), typed('.', 3, 4.5), typed('-Dat', 4)], ['Geb.-Dat']],
  ])('are whole where no blank stands %s', (_, words, whole) => {
    expect(texts(...words)).toEqual(whole);
  });

  it('stay separate if there is a blank between them; digits always', () => {
    expect(texts(typed('Sed', 0), typed('Rate', 4))).toEqual(['Sed', 'Rate']);
    expect(texts(typed('4', 0), typed('800', 1))).toEqual(['4', '800']);
    expect(texts(typed('2', 0), typed('+', 2))).toEqual(['2', '+']);
  });

  it('extend to the ends of their cells, so that a thin dash is as close to its numbers as a letter', () => {
    const [low, dash, high] = read(typed('3.4', 0), typed('-', 4, 4), typed('10.8', 6));
    expect((dash?.box.x0 ?? 0) - (low?.box.x1 ?? 0)).toBeCloseTo(PITCH, 0);
    expect((high?.box.x0 ?? 0) - (dash?.box.x1 ?? 0)).toBeCloseTo(PITCH, 0);
  });

  it('are not monospaced if only a few distinct words have equal letter widths, even if repeated', () => {
    const words = [typed('Normal', 0), typed('range', 6)];
    const others = PAGE.map((line, at) => ({
      words: line.words.map((word) => ({ ...word, box: { ...word.box, x1: word.box.x1 * (0.6 + at / 20) } })),
    }));
    const cards = Array.from({ length: 20 }, () => ({ words }));
    expect(
      postprocessLines([...cards, ...others])
        .slice(0, 2)
        .map(({ text }) => text),
    ).toEqual(['Normal', 'range']);
  });

  it('are unchanged in any other font', () => {
    const words = [typed('Hematocri', 0), typed('t', 9, 4)];
    const other = PAGE.map((line, at) => ({
      words: line.words.map((word) => ({ ...word, box: { ...word.box, x1: word.box.x1 * (0.6 + at / 20) } })),
    }));
    expect(
      postprocessLines([{ words }, ...other])
        .slice(0, 2)
        .map(({ text, box }) => [text, box]),
    ).toEqual(words.map(({ text, box }) => [text, box]));
  });
});
