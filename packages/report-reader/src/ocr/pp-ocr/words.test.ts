import { createCanvas, GlobalFonts } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { NOTO } from '../../../test/table.ts';
import { toGray, soften } from '../image.ts';
import type { StripImage } from './cut-strip.ts';
import { segmentWords } from './words.ts';

GlobalFonts.registerFromPath(NOTO, 'Noto');

const PRINTED = ['Sodium', '135', '145'];
const SIZE = 24;
const STEP = 130;

/** Words of these sizes on a strip, each lower than the one before by `fall`. */
function wordsRead(fall: number, sizes: readonly number[] = [SIZE, SIZE, SIZE]) {
  const size = { width: STEP * PRINTED.length, height: 48 };
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, size.width, size.height);
  context.fillStyle = '#000000';
  const signs = PRINTED.flatMap((text, at) => {
    context.font = `${sizes[at]}px Noto`;
    const x = 10 + at * STEP;
    context.fillText(text, x, 32 - fall + at * fall);
    const wide = context.measureText(text).width / text.length;
    return [...text].map((letter, index) => ({
      text: letter,
      x: x + (index + 0.5) * wide,
      confidence: 0.99,
    }));
  });
  const image = soften(toGray(context.getImageData(0, 0, size.width, size.height).data, size));
  const strip = { x: size.width / 2, y: 24, width: size.width, height: 48, slope: 0, score: 1 };
  const cut: StripImage = { image, scale: 1, across: 1, strip };
  return segmentWords(cut, signs);
}

describe('the words of a strip', () => {
  it('have their printed font sizes', () => {
    const words = wordsRead(0);
    expect(words.map(({ text }) => text)).toEqual(PRINTED);
    for (const { fontSize, baseline } of words) {
      expect(Math.abs(fontSize / SIZE - 1)).toBeLessThan(0.08);
      expect(Math.abs(baseline - 32)).toBeLessThan(1.5);
    }
  });

  it.each([
    ['a large one before small ones', [34, 18, 18]],
    ['a small one between large ones', [32, 17, 32]],
  ])('are each of its own size where a line has two: %s', (_, sizes) => {
    for (const [at, { fontSize, baseline }] of wordsRead(0, sizes).entries()) {
      expect(Math.abs(fontSize / (sizes[at] ?? 1) - 1)).toBeLessThan(0.12);
      expect(Math.abs(baseline - 32)).toBeLessThan(2);
    }
  });

  it('have their printed font sizes and positions on a bent line too', () => {
    const words = wordsRead(6);
    for (const [at, { fontSize, baseline }] of words.entries()) {
      expect(Math.abs(fontSize / SIZE - 1)).toBeLessThan(0.1);
      expect(Math.abs(baseline - (26 + 6 * at))).toBeLessThan(2);
    }
  });

  it.each([
    [5, ['Reference', 'range'], ['Referencerange']],
    [8, ['Reference', 'range'], ['Reference', 'range']],
    [8, ['135', '145'], ['135145']],
  ])('are parted by a gap of %i pixels as their signs want it: %j', (gap, printed, read) => {
    expect(barsRead(printed, gap)).toEqual(read);
  });
});

/** What is read of words whose letters are bars, with such a gap between the words. */
function barsRead(words: readonly string[], gap: number): string[] {
  const [wide, apart, height] = [9, 2, 48];
  const letters = words.flatMap((word, at) =>
    [...word].map((text, index) => ({ text, isFirst: index === 0 && at > 0 })),
  );
  let end = 10;
  const placed = letters.map(({ text, isFirst }) => {
    const left = end + (isFirst ? gap : apart);
    end = left + wide;
    return { text, left };
  });
  const width = end + 10;
  const data = new Uint8Array(width * height).fill(255);
  for (const { left } of placed)
    for (let y = 14; y < 34; y += 1) data.fill(0, y * width + left, y * width + left + wide);
  const strip = { x: width / 2, y: 24, width, height, slope: 0, score: 1 };
  const cut: StripImage = { image: { width, height, data }, scale: 1, across: 1, strip };
  const signs = placed.map(({ text, left }) => ({ text, x: left + wide / 2, confidence: 0.99 }));
  return segmentWords(cut, signs).map(({ text }) => text);
}
