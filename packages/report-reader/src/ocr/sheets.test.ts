import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { transformPoint, translation } from './geometry.ts';
import { orderSheets, stackSheets, type OcrSheet, toPictureAt } from './sheets.ts';

const PICTURE = { width: 1600, height: 1000 };
const done = { isSheetCut: true, isEvened: true, quarters: 0, skewDegrees: 0, scale: 1 };

/** A sheet of 700 x 900 points at this position on the image. */
const sheet = (text: string, x: number, y: number, quarters = 0): OcrSheet => ({
  page: pageOf([text]),
  preparation: { ...done, quarters },
  toPicture: (point) => transformPoint(translation(x, y), point),
});

const textsOf = (sheets: readonly OcrSheet[]): string[] =>
  sheets.map(({ page }) => page.words.map(({ text }) => text).join(' '));

describe('two sheets in one image', () => {
  it('are read from left to right, or from top to bottom', () => {
    expect(textsOf(orderSheets([sheet('right', 850, 20), sheet('left', 50, 40)], PICTURE))).toEqual([
      'left',
      'right',
    ]);
    expect(textsOf(orderSheets([sheet('lower', 60, 800), sheet('upper', 50, 40)], PICTURE))).toEqual([
      'upper',
      'lower',
    ]);
  });

  it('are ordered by their positions on the upright image', () => {
    // After a half turn, left and right are swapped.
    const over = orderSheets([sheet('second', 50, 40, 2), sheet('first', 850, 20, 2)], PICTURE);
    expect(textsOf(over)).toEqual(['first', 'second']);
  });

  it('are stacked as one page, and each word maps back to its position on the image', () => {
    const [left, right] = orderSheets([sheet('left', 50, 40), sheet('right', 850, 20)], PICTURE);
    if (!left || !right) throw new Error('Two sheets were given');
    const page = stackSheets([left, right], left.page);
    expect([page.width, page.height]).toEqual([700, 1800]);
    const places = page.words.map(({ box }) => {
      const { x, y } = toPictureAt([left, right], (box.y0 + box.y1) / 2)({ x: box.x0, y: box.y0 });
      return [Math.round(x), Math.round(y)];
    });
    expect(places).toEqual([
      [70, 60],
      [870, 40],
    ]);
  });
});
