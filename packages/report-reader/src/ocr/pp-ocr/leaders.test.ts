import { describe, expect, it } from 'vitest';
import { type GrayImage, blankImage } from '../image.ts';
import { removeDotLeaders } from './leaders.ts';

const SIZE = { width: 300, height: 48 };

/** A strip with upright strokes as letters at its left, and dots of this pitch at the foot behind them. */
function strip(dots: number, pitch: number): GrayImage {
  const image = blankImage(SIZE);
  const fill = (left: number, top: number, width: number, height: number): void => {
    for (let y = top; y < top + height; y += 1)
      image.data.fill(0, y * SIZE.width + left, y * SIZE.width + left + width);
  };
  for (let letter = 0; letter < 6; letter += 1) fill(10 + letter * 12, 10, 5, 28);
  for (let dot = 0; dot < dots; dot += 1) fill(90 + dot * pitch, 34, 4, 4);
  return image;
}

const inked = ({ data, width }: GrayImage, from: number): number =>
  data.filter((gray, at) => gray < 100 && at % width >= from).length;

describe('a leader of dots', () => {
  it.each([
    [20, 9],
    [12, 14],
    [5, 12],
  ])('is taken out, %i dots %i pixels apart, and the name before it stays', (dots, pitch) => {
    const given = strip(dots, pitch);
    const left = removeDotLeaders(given);
    expect(inked(left, 85)).toBe(0);
    expect(inked(left, 0)).toBe(inked(strip(0, 9), 0));
  });

  it.each([
    ['three dots', 3, 9],
    ['dots far apart, as of decimals', 6, 30],
  ])('is not %s', (_, dots, pitch) => {
    const given = strip(dots, pitch);
    expect(removeDotLeaders(given) === given).toBe(true);
  });
});
