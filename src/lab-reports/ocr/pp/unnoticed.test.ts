import { describe, expect, it } from 'vitest';
import type { Alphabet } from './recognise.ts';
import { signsOf, type Steps } from './recognise.ts';
import { DOUBTED, withUnnoticed } from './unnoticed.ts';

const SIGNS = ['', '1', '2', '3', '4', '8', '0', '.', ',', '<', 'A'];
const numbers = new Map(SIGNS.map((sign, number) => [sign, number]));
const alphabet: Alphabet = { signs: SIGNS, numbers, twins: new Int32Array(SIGNS.length) };

/** What a network gave at each step: the sign that it saw, or a glimpse of one beside nothing. */
type Seen = string | { readonly glimpse: string; readonly likely: number };

function stepsOf(seen: readonly Seen[]): Steps {
  const likelihoods = new Float32Array(seen.length * SIGNS.length);
  seen.forEach((one, step) => {
    const [sign, likely] = typeof one === 'string' ? [one, 0.99] : [one.glimpse, one.likely];
    likelihoods[step * SIGNS.length] = typeof one === 'string' ? 0.01 : 1 - likely;
    likelihoods[step * SIGNS.length + (numbers.get(sign) ?? 0)] = likely;
  });
  return { likelihoods, count: seen.length, classes: SIGNS.length, stride: 8 };
}

function read(...seen: Seen[]): { text: string; least: number } {
  const steps = stepsOf(seen);
  const signs = withUnnoticed(signsOf(steps, alphabet), steps, alphabet);
  return {
    text: signs.map(({ text }) => text).join(''),
    least: Math.min(...signs.map(({ confidence }) => confidence)),
  };
}

describe('a number', () => {
  it('is as sure as its signs where nothing else was in sight', () => {
    expect(read('2', '', '3')).toMatchObject({ text: '23', least: expect.closeTo(0.99) });
    expect(read('2', { glimpse: '.', likely: 0.001 }, '3').least).toBeCloseTo(0.99);
  });

  it('is in doubt where a point between its digits was nearly read', () => {
    expect(read('2', { glimpse: ',', likely: 0.01 }, '3')).toEqual({ text: '23', least: DOUBTED });
  });

  it('is in doubt where a comparator before it was nearly read', () => {
    expect(read({ glimpse: '<', likely: 0.02 }, '3')).toEqual({ text: '3', least: DOUBTED });
  });

  it('has the point that was all but read, and is in doubt', () => {
    expect(read('2', { glimpse: '.', likely: 0.3 }, '3')).toEqual({ text: '2.3', least: DOUBTED });
  });

  it('is given no point before the last three digits, which may be thousands', () => {
    const text = read('4', { glimpse: '.', likely: 0.3 }, '8', '', '0', '', '0');
    expect(text).toEqual({ text: '4800', least: DOUBTED });
  });

  it('is alone in this: between letters a point is nothing', () => {
    expect(read('A', { glimpse: '.', likely: 0.05 }, '3').least).toBeCloseTo(0.99);
  });
});
