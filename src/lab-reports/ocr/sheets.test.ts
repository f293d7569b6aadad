import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../test/lab-reports/page-of.ts';
import { apply, shift } from './geometry.ts';
import { inOrder, onePage, type SheetReading, toPictureAt } from './sheets.ts';

const PICTURE = { width: 1600, height: 1000 };
const done = { isSheetCut: true, isEvened: true, quarters: 0, skewDegrees: 0, scale: 1 };

/** A sheet of 700 x 900 points that lies here on the picture. */
const sheet = (text: string, x: number, y: number, quarters = 0): SheetReading => ({
  page: pageOf([text]),
  done: { ...done, quarters },
  toPicture: (point) => apply(shift(x, y), point),
});

const textsOf = (sheets: readonly SheetReading[]): string[] =>
  sheets.map(({ page }) => page.words.map(({ text }) => text).join(' '));

describe('two sheets in one picture', () => {
  it('are read from the left, or from the top', () => {
    expect(textsOf(inOrder([sheet('right', 850, 20), sheet('left', 50, 40)], PICTURE))).toEqual([
      'left',
      'right',
    ]);
    expect(textsOf(inOrder([sheet('lower', 60, 800), sheet('upper', 50, 40)], PICTURE))).toEqual([
      'upper',
      'lower',
    ]);
  });

  it('are read as they lie once the picture is turned upright', () => {
    // Turned by half a circle, what lay at the left lies at the right.
    const over = inOrder([sheet('second', 50, 40, 2), sheet('first', 850, 20, 2)], PICTURE);
    expect(textsOf(over)).toEqual(['first', 'second']);
  });

  it('are one page, one below the other, and each word is found again where it stands', () => {
    const [left, right] = inOrder([sheet('left', 50, 40), sheet('right', 850, 20)], PICTURE);
    if (!left || !right) throw new Error('Two sheets were given');
    const page = onePage([left, right], left.page);
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
