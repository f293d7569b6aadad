import { describe, expect, it } from 'vitest';
import { dice } from '../../../test/lab-reports/made.ts';
import { stretch } from './background.ts';
import { type GrayImage, quantile } from './image.ts';

const SIZE = { width: 600, height: 800 };

/** Paper with grain, and so many lines of print of this gray on it. */
function page(lines: number, ink: number): GrayImage {
  const roll = dice(3);
  const data = new Uint8Array(SIZE.width * SIZE.height).map(() => 225 + roll() * 20);
  for (let line = 0; line < lines; line += 1) {
    for (let y = 40 + line * 20; y < 46 + line * 20; y += 1)
      for (let x = 60; x < 300; x += 3) data[y * SIZE.width + x] = ink + roll() * 10;
  }
  return { ...SIZE, data };
}

describe('faint print', () => {
  it.each([
    ['on a full page', 35],
    ['of three lines', 3],
  ])('%s becomes dark, and its paper stays light', (_, lines) => {
    const pulled = stretch(page(lines, 150));
    expect(quantile(pulled, 0.0005)).toBeLessThan(20);
    expect(quantile(pulled, 0.05)).toBeGreaterThan(lines > 10 ? 0 : 200);
    expect(quantile(pulled, 0.3)).toBeGreaterThan(200);
  });

  it('is left alone where it is dark already', () => {
    const given = page(35, 20);
    expect(stretch(given) === given).toBe(true);
  });
});
