import { describe, expect, it } from 'vitest';
import { blankImage } from '../image.ts';
import { detectStrips } from './detect.ts';
import type { NeuralNetwork } from './network.ts';

/** Finds print wherever the image is dark. */
const darkIsPrint: NeuralNetwork = async (input, dims) => {
  const [, , height = 0, width = 0] = dims;
  return { data: input.slice(0, width * height).map((value) => (value < 0 ? 1 : 0)), dims };
};

/** An image with a bar of print at each of these heights. */
function bars(size: { width: number; height: number }, heights: readonly number[]) {
  const image = blankImage(size);
  for (const top of heights)
    for (let y = top; y < top + 12; y += 1) image.data.fill(0, y * size.width + 20, y * size.width + 150);
  return image;
}

describe('text lines', () => {
  it('are found once each on a long screenshot', async () => {
    const heights = Array.from({ length: 58 }, (_, at) => 20 + at * 34);
    const strips = await detectStrips(bars({ width: 192, height: 2016 }, heights), darkIsPrint);
    expect(strips.map(({ y }) => Math.round(y - 6))).toEqual(heights);
  });

  it('are found on a page', async () => {
    const strips = await detectStrips(bars({ width: 192, height: 288 }, [30, 90, 200]), darkIsPrint);
    expect(strips.map(({ y }) => Math.round(y - 6))).toEqual([30, 90, 200]);
  });
});
