import { describe, expect, it } from 'vitest';
import { seededNumbers } from '../../test/generated-report.ts';
import { invertIfLightOnDark, stretchContrast } from './background.ts';
import { type GrayImage, quantile } from './image.ts';

const SIZE = { width: 600, height: 800 };

/** Paper with grain, with this number of text lines of this gray. */
function page(lines: number, ink: number): GrayImage {
  const roll = seededNumbers(3);
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
    const pulled = stretchContrast(page(lines, 150));
    expect(quantile(pulled, 0.0005)).toBeLessThan(20);
    expect(quantile(pulled, 0.05)).toBeGreaterThan(lines > 10 ? 0 : 200);
    expect(quantile(pulled, 0.3)).toBeGreaterThan(200);
  });

  it('is unchanged if it is already dark', () => {
    const given = page(35, 20);
    expect(stretchContrast(given) === given).toBe(true);
  });
});

describe('light print on a dark background', () => {
  const negative = (image: GrayImage): GrayImage => ({
    ...image,
    data: image.data.map((gray) => 255 - gray),
  });

  it.each([35, 3])('is inverted, with %i lines', (lines) => {
    const turned = invertIfLightOnDark(negative(page(lines, 20)));
    expect(quantile(turned, 0.5)).toBeGreaterThan(220);
    expect(quantile(turned, 0.0005)).toBeLessThan(40);
  });

  it('is distinguished from a white sheet on a dark table, which stays unchanged', () => {
    const sheet = page(35, 20);
    const data = sheet.data.map((gray, at) => {
      const [x, y] = [at % SIZE.width, Math.floor(at / SIZE.width)];
      return x > 40 && x < 360 && y > 20 && y < 760 ? gray : 60;
    });
    const photo = { ...SIZE, data };
    expect(quantile(photo, 0.5)).toBeLessThan(100);
    expect(invertIfLightOnDark(photo) === photo).toBe(true);
    expect(invertIfLightOnDark(sheet) === sheet).toBe(true);
  });
});
