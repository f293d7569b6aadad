import { describe, expect, it } from 'vitest';
import { blank } from '../image.ts';
import { detect } from './detect.ts';
import type { Network } from './network.ts';

/** Finds print wherever the picture is dark. */
const darkIsPrint: Network = async (input, dims) => {
  const [, , height = 0, width = 0] = dims;
  return { data: input.slice(0, width * height).map((value) => (value < 0 ? 1 : 0)), dims };
};

/** A picture with a bar of print at each of these heights. */
function bars(size: { width: number; height: number }, heights: readonly number[]) {
  const image = blank(size);
  for (const top of heights)
    for (let y = top; y < top + 12; y += 1) image.data.fill(0, y * size.width + 20, y * size.width + 150);
  return image;
}

describe('the lines of print', () => {
  it('are found once each on a screen that is many times as long as wide', async () => {
    const heights = Array.from({ length: 58 }, (_, at) => 20 + at * 34);
    const strips = await detect(bars({ width: 192, height: 2016 }, heights), darkIsPrint);
    expect(strips.map(({ y }) => Math.round(y - 6))).toEqual(heights);
  });

  it('are found on a page', async () => {
    const strips = await detect(bars({ width: 192, height: 288 }, [30, 90, 200]), darkIsPrint);
    expect(strips.map(({ y }) => Math.round(y - 6))).toEqual([30, 90, 200]);
  });
});
