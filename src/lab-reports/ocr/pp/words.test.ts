import { createCanvas, GlobalFonts } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { NOTO } from '../../../../test/lab-reports/table.ts';
import { grayOf, softened } from '../image.ts';
import type { Cut } from './cut.ts';
import { wordsOf } from './words.ts';

GlobalFonts.registerFromPath(NOTO, 'Noto');

const PRINTED = ['Sodium', '135', '145'];
const SIZE = 24;
const STEP = 130;

/** Words of this size on a strip, each of them so much lower than the one before. */
function wordsRead(fall: number) {
  const size = { width: STEP * PRINTED.length, height: 48 };
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, size.width, size.height);
  context.fillStyle = '#000000';
  context.font = `${SIZE}px Noto`;
  const signs = PRINTED.flatMap((text, at) => {
    const x = 10 + at * STEP;
    context.fillText(text, x, 32 - fall + at * fall);
    const wide = context.measureText(text).width / text.length;
    return [...text].map((letter, index) => ({
      text: letter,
      x: x + (index + 0.5) * wide,
      confidence: 0.99,
    }));
  });
  const image = softened(grayOf(context.getImageData(0, 0, size.width, size.height).data, size));
  const strip = { x: size.width / 2, y: 24, width: size.width, height: 48, slope: 0, score: 1 };
  const cut: Cut = { image, scale: 1, across: 1, strip };
  return wordsOf(cut, signs);
}

describe('the words of a strip', () => {
  it('are as large as they were printed', () => {
    const words = wordsRead(0);
    expect(words.map(({ text }) => text)).toEqual(PRINTED);
    for (const { fontSize, baseline } of words) {
      expect(Math.abs(fontSize / SIZE - 1)).toBeLessThan(0.08);
      expect(Math.abs(baseline - 32)).toBeLessThan(1.5);
    }
  });

  it('are so too where the line bends, and each stands where it stood', () => {
    const words = wordsRead(6);
    for (const [at, { fontSize, baseline }] of words.entries()) {
      expect(Math.abs(fontSize / SIZE - 1)).toBeLessThan(0.1);
      expect(Math.abs(baseline - (26 + 6 * at))).toBeLessThan(2);
    }
  });
});
