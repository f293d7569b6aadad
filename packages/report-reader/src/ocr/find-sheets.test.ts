import { describe, expect, it } from 'vitest';
import type { GrayImage } from './image.ts';
import { findSheets } from './find-sheets.ts';

const SIZE = { width: 640, height: 480 };

/** White sheets on a dark table: left, top, right, bottom. */
function table(sheets: readonly (readonly [number, number, number, number])[]): GrayImage {
  const data = new Uint8Array(SIZE.width * SIZE.height).fill(60);
  for (const [left, top, right, bottom] of sheets)
    for (let y = top; y < bottom; y += 1) data.fill(230, y * SIZE.width + left, y * SIZE.width + right);
  return { ...SIZE, data };
}

const corners = (image: GrayImage): string[] =>
  findSheets(image).map(([p, , r]) => [p.x, p.y, r.x, r.y].map((place) => Math.round(place / 20)).join(' '));

describe('sheets on a table', () => {
  it('are found, one or two of them', () => {
    expect(corners(table([[100, 40, 420, 440]]))).toEqual(['5 2 21 22']);
    const two = table([
      [20, 20, 300, 460],
      [340, 30, 620, 460],
    ]);
    expect(corners(two).toSorted()).toEqual(['1 1 15 23', '17 2 31 23']);
  });

  it('are found despite a slip of paper next to them', () => {
    const slip = table([
      [40, 20, 380, 460],
      [460, 60, 600, 160],
    ]);
    expect(corners(slip)).toEqual(['2 1 19 23']);
  });

  it('have the right corners despite a shadow over one of them', () => {
    const sheet = table([[100, 20, 420, 440]]);
    // The shadow of a hand, over a third of the lower side.
    for (let y = 330; y < 440; y += 1)
      sheet.data.fill(75, y * SIZE.width + 100, y * SIZE.width + 2 * y - 660);
    const [[, , right, left] = []] = findSheets(sheet);
    expect([right?.y, left?.y].map((y) => Math.round((y ?? 0) / 20))).toEqual([22, 22]);
  });

  it('are whole despite a shadow with a straight edge over one side', () => {
    const sheet = table([[100, 20, 420, 460]]);
    for (let y = 20; y < 460; y += 1)
      sheet.data.fill(130, y * SIZE.width + 100, y * SIZE.width + 190 + Math.round(y / 10));
    expect(corners(sheet)).toEqual(['5 1 21 23']);
  });

  it('do not include bright spots of the background', () => {
    const board = table([]);
    for (let y = 10; y < 470; y += 1) board.data.fill(120, y * SIZE.width + 60, y * SIZE.width + 500);
    for (let y = 60; y < 440; y += 1) board.data.fill(230, y * SIZE.width + 120, y * SIZE.width + 440);
    expect(corners(board)).toEqual(['6 3 22 22']);
  });

  it('are not found if the image is all paper', () => {
    expect(corners(table([[0, 0, 640, 480]]))).toEqual([]);
  });
});
