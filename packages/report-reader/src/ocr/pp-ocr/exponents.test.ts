import { describe, expect, it } from 'vitest';
import { blankImage } from '../image.ts';
import { restoreExponents } from './exponents.ts';

const strip = blankImage({ width: 160, height: 48 });
for (let y = 8; y < 40; y += 1) strip.data.fill(0, y * 160 + 10, y * 160 + 14);

const signs = (text: string) =>
  Array.from(text, (sign, at) => ({ text: sign, x: 20 + at * 20, confidence: 0.9 }));

/** The restored text of a line if its superscript alone reads as `raised`. */
const read = async (line: string, raised: string): Promise<string> =>
  (await restoreExponents(strip, signs(line), async () => signs(raised))).map(({ text }) => text).join('');

describe('the power of ten of a unit', () => {
  it.each([
    ['10%/L', '9', '10^9/L'],
    ['x10*/uL', '3)', 'x10^3/uL'],
    ['4.5x10°/L', '12', '4.5x10^12/L'],
    ['107/L', '9', '10^9/L'],
  ])('is read by itself where it was lost: %s', async (line, raised, right) => {
    expect(await read(line, raised)).toBe(right);
  });

  it.each([
    ['10%/L', 'A', 'what stands there is none'],
    ['10%/L', '7', 'no cells are counted by it'],
    ['mL/min', '9', 'there is no ten'],
    ['10', '9', 'there is no stroke'],
    ['110 g/L', '9', 'it is no unit of cells'],
  ])('is left alone, %s and %s: %s', async (line, raised) => {
    expect(await read(line, raised)).toBe(line);
  });
});
