import { describe, expect, it } from 'vitest';
import type { RecognizerAlphabet } from './recognize.ts';
import { decodeGlyphs, type RecognizerOutput } from './recognize.ts';
import { DOUBTED_CONFIDENCE, restoreFaintMarks } from './faint-marks.ts';

const SIGNS = ['', '1', '2', '3', '4', '8', '0', '.', ',', '<', 'A'];
const numbers = new Map(SIGNS.map((sign, number) => [sign, number]));
const alphabet: RecognizerAlphabet = { signs: SIGNS, numbers, twins: new Int32Array(SIGNS.length) };

/** The network output at each step: a sign, or a trace of one next to the blank. */
type GlyphSample = string | { readonly glimpse: string; readonly likely: number };

function stepsOf(seen: readonly GlyphSample[]): RecognizerOutput {
  const likelihoods = new Float32Array(seen.length * SIGNS.length);
  seen.forEach((one, step) => {
    const [sign, likely] = typeof one === 'string' ? [one, 0.99] : [one.glimpse, one.likely];
    likelihoods[step * SIGNS.length] = typeof one === 'string' ? 0.01 : 1 - likely;
    likelihoods[step * SIGNS.length + (numbers.get(sign) ?? 0)] = likely;
  });
  return { likelihoods, count: seen.length, classes: SIGNS.length, stride: 8 };
}

function read(...seen: GlyphSample[]): { text: string; least: number } {
  const steps = stepsOf(seen);
  const signs = restoreFaintMarks(decodeGlyphs(steps, alphabet), steps, alphabet);
  return {
    text: signs.map(({ text }) => text).join(''),
    least: Math.min(...signs.map(({ confidence }) => confidence)),
  };
}

describe('a number', () => {
  it('keeps its confidence if there is no trace of another sign', () => {
    expect(read('2', '', '3')).toMatchObject({ text: '23', least: expect.closeTo(0.99) });
    expect(read('2', { glimpse: '.', likely: 0.001 }, '3').least).toBeCloseTo(0.99);
  });

  it('loses confidence if there is a trace of a point between its digits', () => {
    expect(read('2', { glimpse: ',', likely: 0.01 }, '3')).toEqual({ text: '23', least: DOUBTED_CONFIDENCE });
  });

  it('loses confidence if there is a trace of a comparator before it', () => {
    expect(read({ glimpse: '<', likely: 0.02 }, '3')).toEqual({ text: '3', least: DOUBTED_CONFIDENCE });
  });

  it('gets the point if its trace is strong, with low confidence', () => {
    expect(read('2', { glimpse: '.', likely: 0.3 }, '3')).toEqual({ text: '2.3', least: DOUBTED_CONFIDENCE });
  });

  it('gets no point before the last three digits, which may be thousands', () => {
    const text = read('4', { glimpse: '.', likely: 0.3 }, '8', '', '0', '', '0');
    expect(text).toEqual({ text: '4800', least: DOUBTED_CONFIDENCE });
  });

  it('is required: a point between letters is ignored', () => {
    expect(read('A', { glimpse: '.', likely: 0.05 }, '3').least).toBeCloseTo(0.99);
  });
});
