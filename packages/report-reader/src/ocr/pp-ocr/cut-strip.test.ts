import { describe, expect, it } from 'vitest';
import { type GrayImage, blankImage, quantile } from '../image.ts';
import { cutStrip } from './cut-strip.ts';
import type { TextStrip } from './detect.ts';

const SIZE = { width: 400, height: 120 };
const STRIP: TextStrip = { x: 200, y: 60, width: 300, height: 48, slope: 0, score: 1 };

type PaintRectangle = readonly [left: number, top: number, right: number, bottom: number, gray: number];

function drawn(fills: readonly PaintRectangle[]): GrayImage {
  const image = blankImage(SIZE);
  for (const [left, top, right, bottom, gray] of fills)
    for (let y = top; y < bottom; y += 1)
      image.data.fill(gray, y * SIZE.width + left, y * SIZE.width + right);
  return image;
}

/** Vertical strokes of this gray, like print, in the middle of the image. */
const print = (gray: number): PaintRectangle[] =>
  Array.from({ length: 20 }, (_, at) => [70 + at * 13, 48, 76 + at * 13, 72, gray]);
/** Bold letters: small ones of which more than half is ink, and stems above them, from end to end of the strip. */
const heavy = (gray: number): PaintRectangle[] => [
  ...Array.from({ length: 30 }, (_, at): PaintRectangle => [46 + at * 11, 52, 52 + at * 11, 70, gray]),
  ...Array.from({ length: 8 }, (_, at): PaintRectangle => [46 + at * 44, 44, 52 + at * 44, 52, gray]),
];
/** From edge to edge. */
const band = (top: number, bottom: number, gray: number): PaintRectangle => [
  0,
  top,
  SIZE.width,
  bottom,
  gray,
];

const rowOf = ({ width, height, data }: GrayImage, row: number): GrayImage => ({
  width,
  height: 1,
  data: data.subarray(Math.round(row * height) * width, (Math.round(row * height) + 1) * width),
});

/** Whether a column is darker than this from top to bottom. */
const isInkedThrough = ({ width, height, data }: GrayImage, column: number, level: number): boolean =>
  Array.from({ length: height }, (_, row) => data[row * width + column] ?? 0).every((gray) => gray < level);

describe('a strip of print', () => {
  it.each([
    ['black on white', [...print(0)]],
    ['white on a coloured band that is lower than the strip', [band(42, 78, 70), ...print(255)]],
    ['heavy, with ink from end to end', [...heavy(0)]],
    ['heavy and white on a dark card', [band(0, 120, 28), ...heavy(245)]],
    ['white on a gray band', [band(30, 90, 130), ...print(250)]],
    ['black on a stripe next to a dark one', [band(0, 40, 40), band(40, 120, 215), ...print(10)]],
    ['black above the rule of a table', [...print(0), band(80, 82, 60)]],
    ['black between the rules of two columns', [...print(0), [51, 0, 54, 120, 0], [346, 0, 348, 120, 0]]],
  ] as const)('is dark on light, and nothing is at its rim: %s', (_, fills) => {
    const { image } = cutStrip(drawn(fills), STRIP);
    const paper = quantile(image, 0.8);
    const ink = quantile(rowOf(image, 0.5), 0.1);
    expect(paper - ink).toBeGreaterThan(80);
    for (const row of [0.02, 0.1, 0.9, 0.97])
      expect(Math.abs(quantile(rowOf(image, row), 0.5) - paper)).toBeLessThan(20);
    for (const end of [0, image.width - 1]) expect(isInkedThrough(image, end, paper - 40)).toBe(false);
  });
});
