import { createCanvas, GlobalFonts } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { NOTO } from '../../../test/table.ts';
import type { OcrTextLine } from '../engine.ts';
import { type GrayImage, toGray } from '../image.ts';
import { findMissedDashes } from './missed-dashes.ts';

GlobalFonts.registerFromPath(NOTO, 'Noto');

const SIZE = 24;
const STANDS = 60;

interface PrintedText {
  readonly image: GrayImage;
  readonly lines: readonly OcrTextLine[];
}

/** Words printed in one row with blanks between them; each is a separate line, except the one that was missed. */
function printed(words: readonly string[], unfound: string): PrintedText {
  const size = { width: 400, height: 100 };
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, size.width, size.height);
  context.fillStyle = '#000000';
  context.font = `${SIZE}px Noto`;
  let x = 30;
  const lines = words.flatMap((text): OcrTextLine[] => {
    context.fillText(text, x, STANDS);
    const x0 = x;
    const x1 = x + context.measureText(text).width;
    x = x1 + context.measureText(' ').width;
    if (text === unfound) return [];
    const box = { x0, x1, y0: STANDS - 18, y1: STANDS + 5 };
    return [{ words: [{ text, box, confidence: 0.99, baseline: STANDS, fontSize: SIZE }] }];
  });
  return { image: toGray(context.getImageData(0, 0, size.width, size.height).data, size), lines };
}

const found = ({ image, lines }: PrintedText): string[] =>
  findMissedDashes(image, lines).flatMap(({ words }) => words.map(({ text }) => text));

describe('a dash that the detector missed', () => {
  it.each([
    [['60', '-', '80'], '-'],
    [['(3.5', '–', '5.3)'], '–'],
  ])('is found where it stands between the numbers of a range: %j', (words, dash) => {
    expect(found(printed(words, dash))).toEqual(['-']);
  });

  it.each([
    ['nothing', ['60', '80'], ''],
    ['a point', ['60', '.', '80'], '.'],
    ['a digit', ['60', '1', '80'], '1'],
    ['a stroke', ['60', '/', '80'], '/'],
    ['a name', ['Sodium', '-', '80'], '-'],
  ])('is not invented where %s stands there', (_, words, unfound) => {
    expect(found(printed(words, unfound))).toEqual([]);
  });

  it('is also found between two words of one line', () => {
    const { image, lines } = printed(['Iron', '60', '-', '80', 'mg'], '-');
    expect(found({ image, lines: [{ words: lines.flatMap(({ words }) => words) }] })).toEqual(['-']);
  });

  it('has its printed position and the font size of its numbers', () => {
    const { image, lines } = printed(['60', '-', '80'], '-');
    const [dash] = findMissedDashes(image, lines)[0]?.words ?? [];
    const [low, high] = lines.map(({ words }) => words[0]?.box);
    expect(dash?.box.x0).toBeGreaterThan(low?.x1 ?? 0);
    expect(dash?.box.x1).toBeLessThan(high?.x0 ?? 0);
    expect([dash?.baseline, dash?.fontSize]).toEqual([STANDS, SIZE]);
  });
});
