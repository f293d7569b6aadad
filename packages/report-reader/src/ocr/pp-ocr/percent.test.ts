import { createCanvas, GlobalFonts } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { toGray, resize, soften, type GrayImage } from '../image.ts';
import { NOTO } from '../../../test/table.ts';
import { isPercentSign } from './percent.ts';

GlobalFonts.registerFromPath(NOTO, 'Noto');

/** A text as a coarse scan shows it: drawn small, then as large as a strip. */
function strip(text: string): GrayImage {
  const size = { width: 30, height: 16 };
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, size.width, size.height);
  context.fillStyle = '#000000';
  context.font = '12px Noto';
  context.fillText(text, 5, 13);
  const { data } = context.getImageData(0, 0, size.width, size.height);
  return soften(resize(toGray(data, size), { width: 90, height: 48 }));
}

describe('a single percent sign', () => {
  it.each(['96', '6', '9', '%6', '.%'])('is detected by its shape if it was read as %s', (read) => {
    expect(isPercentSign(strip('%'), read)).toBe(true);
  });

  it.each(['96', '6', '9', '8', '0', 'X', '69', '', '#'])('is not detected in the sign %s', (printed) => {
    for (const read of ['96', '6', '9']) expect(isPercentSign(strip(printed), read)).toBe(false);
  });

  it('is not searched if something else was read', () => {
    for (const read of ['%', '12', 'fL', '8']) expect(isPercentSign(strip('%'), read)).toBe(false);
  });
});
