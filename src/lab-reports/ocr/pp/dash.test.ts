import { createCanvas, GlobalFonts } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { grayOf, resize, softened } from '../image.ts';
import { NOTO } from '../../../../test/lab-reports/table.ts';
import type { Cut } from './cut.ts';
import { dashIn } from './dash.ts';

GlobalFonts.registerFromPath(NOTO, 'Noto');

/** A text that stands alone: a strip is cut about what is found, so that a dash is as large on it as letters are elsewhere. */
function cutOf(text: string): Cut {
  const size = { width: 51, height: 30 };
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, size.width, size.height);
  context.fillStyle = '#000000';
  context.font = '34px Noto';
  context.fillText(text, 12, 28);
  const { data } = context.getImageData(0, 0, size.width, size.height);
  const image = softened(resize(grayOf(data, size), { width: 82, height: 48 }));
  return {
    image,
    scale: 0.5,
    across: 0.5,
    strip: { x: 400, y: 300, width: 41, height: 24, slope: 0, score: 1 },
  };
}

const read = (printed: string, text: string) => dashIn(cutOf(printed), text, 0.95)?.text;

describe('a dash that stands alone', () => {
  it.each(['', '1', '!', 'II', 'l', '-'])('is known by its shape where it was read as "%s"', (text) => {
    expect(read('-', text)).toBe('-');
    expect(read('–', text)).toBe('-');
  });

  it.each(['1', 'l', '!', 'I', '.', ':', '=', '+', 'T'])('is no %s', (printed) => {
    for (const text of ['', '1', '!', 'l']) expect(read(printed, text)).toBeUndefined();
  });

  it('is not looked for where letters were read, nor where a strip was turned to be read', () => {
    expect(read('-', 'a')).toBeUndefined();
    const { strip, ...rest } = cutOf('-');
    const upright = { ...strip, width: strip.height, height: strip.width };
    expect(dashIn({ ...rest, strip: upright }, '1', 0.95)).toBeUndefined();
  });

  it('stands at the height of the small letters beside it', () => {
    const { box, baseline = 0, fontSize = 0 } = dashIn(cutOf('-'), '', 0.95) ?? {};
    const middle = ((box?.y0 ?? 0) + (box?.y1 ?? 0)) / 2;
    expect(baseline).toBeGreaterThan(middle);
    expect(baseline - fontSize).toBeLessThan(middle);
  });
});
