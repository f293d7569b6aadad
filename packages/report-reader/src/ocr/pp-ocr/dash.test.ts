import { createCanvas, GlobalFonts } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { toGray, resize, soften } from '../image.ts';
import { NOTO } from '../../../test/table.ts';
import type { StripImage } from './cut-strip.ts';
import { detectDash } from './dash.ts';

GlobalFonts.registerFromPath(NOTO, 'Noto');

/** A single text. A strip is cut around the ink, so a dash is as large on it as letters are elsewhere. */
function cutOf(text: string): StripImage {
  const size = { width: 51, height: 30 };
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, size.width, size.height);
  context.fillStyle = '#000000';
  context.font = '34px Noto';
  context.fillText(text, 12, 28);
  const { data } = context.getImageData(0, 0, size.width, size.height);
  const image = soften(resize(toGray(data, size), { width: 82, height: 48 }));
  return {
    image,
    scale: 0.5,
    across: 0.5,
    strip: { x: 400, y: 300, width: 41, height: 24, slope: 0, score: 1 },
  };
}

const read = (printed: string, text: string) => detectDash(cutOf(printed), text, 0.95)?.text;

describe('a single dash', () => {
  it.each(['', '1', '!', 'II', 'l', '-'])('is detected by its shape if it was read as "%s"', (text) => {
    expect(read('-', text)).toBe('-');
    expect(read('–', text)).toBe('-');
  });

  it.each(['1', 'l', '!', 'I', '.', ':', '=', '+', 'T'])('is not detected in the sign %s', (printed) => {
    for (const text of ['', '1', '!', 'l']) expect(read(printed, text)).toBeUndefined();
  });

  it('is not searched if letters were read, or if the strip was turned', () => {
    expect(read('-', 'a')).toBeUndefined();
    const { strip, ...rest } = cutOf('-');
    const upright = { ...strip, width: strip.height, height: strip.width };
    expect(detectDash({ ...rest, strip: upright }, '1', 0.95)).toBeUndefined();
  });

  it('is at the height of the small letters next to it', () => {
    const { box, baseline = 0, fontSize = 0 } = detectDash(cutOf('-'), '', 0.95) ?? {};
    const middle = ((box?.y0 ?? 0) + (box?.y1 ?? 0)) / 2;
    expect(baseline).toBeGreaterThan(middle);
    expect(baseline - fontSize).toBeLessThan(middle);
  });
});
