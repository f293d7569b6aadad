import type { Page } from '../reading/word.ts';
import { doubtAstray } from './astray.ts';
import type { OcrEngine } from './engine.ts';
import { type Point, type Size, apply, invert, lengthOf, unturn } from './geometry.ts';
import { levelled } from './levelling.ts';
import { type Cleaned, type Preparation, prepare } from './prepare.ts';
import { PAPER_LENGTH, pageOf } from './to-page.ts';

/** What was read on one sheet of a picture. */
export interface SheetReading {
  /** In points of the upright sheet. */
  readonly page: Page;
  readonly done: Preparation;
  /** From its points to the pixels of the picture. */
  readonly toPicture: (point: Point) => Point;
}

export interface SheetOptions {
  /** Of the picture, where that is known. */
  readonly pointsPerPixel: number | undefined;
  /** Of the page, from 1. */
  readonly number: number;
}

/** A page is turned at most so often before it is read as it is. */
const MOST_TURNS = 2;

/** Reads a sheet, turned as its print wants it. */
export async function readSheet(
  engine: OcrEngine,
  sheet: Cleaned,
  { pointsPerPixel, number }: SheetOptions,
): Promise<SheetReading> {
  let prepared = prepare(sheet, 0);
  let reading = await engine.read(prepared.image, { mayTurn: true });
  for (let turns = 1; reading.kind === 'turn'; turns += 1) {
    prepared = prepare(sheet, (prepared.done.quarters + reading.quarters) % 4);
    reading = await engine.read(prepared.image, { mayTurn: turns < MOST_TURNS });
  }
  const { image, done, toGiven } = prepared;
  const scale = pointsPerPixel === undefined ? PAPER_LENGTH / lengthOf(image) : pointsPerPixel / done.scale;
  const { lines, toRead } = levelled(reading.lines, image);
  return {
    page: pageOf(doubtAstray(lines, image), { image, scale, number }),
    done,
    toPicture: ({ x, y }) => apply(toGiven, toRead({ x: x / scale, y: y / scale })),
  };
}

/** A sheet and how far down it begins on a page on which all sheets of a picture lie one below the other. */
export interface Placed extends SheetReading {
  readonly top: number;
}

/** The sheets of a picture in the order in which they are read: from the left, or from the top. */
export function inOrder(sheets: readonly SheetReading[], picture: Size): Placed[] {
  const at = sheets.map((sheet) => ({ sheet, ...middleOf(sheet, picture) }));
  const reach = (side: 'x' | 'y') =>
    Math.max(...at.map((one) => one[side])) - Math.min(...at.map((one) => one[side]));
  const along = reach('x') > reach('y') ? 'x' : 'y';
  let top = 0;
  return at
    .toSorted((a, b) => a[along] - b[along])
    .map(({ sheet }) => {
      const placed = { ...sheet, top };
      top += sheet.page.height;
      return placed;
    });
}

/** Where a sheet lies on the picture, once that is turned as the sheet was. */
function middleOf({ page, done, toPicture }: SheetReading, picture: Size): Point {
  const middle = toPicture({ x: page.width / 2, y: page.height / 2 });
  return apply(invert(unturn(done.quarters, picture)), middle);
}

/** All sheets as one page, one below the other. */
export const onePage = (sheets: readonly Placed[], page: Page): Page => ({
  ...page,
  width: Math.max(...sheets.map((sheet) => sheet.page.width)),
  height: sheets.reduce((sum, sheet) => sum + sheet.page.height, 0),
  words: sheets.flatMap(({ page: { words }, top }) =>
    words.map((word) => ({ ...word, box: { ...word.box, y0: word.box.y0 + top, y1: word.box.y1 + top } })),
  ),
});

/** From the points of that one page to the pixels of the picture, for what stands at this height. */
export function toPictureAt(sheets: readonly [Placed, ...Placed[]], height: number): (point: Point) => Point {
  const { toPicture, top } = sheets.findLast((sheet) => sheet.top <= height) ?? sheets[0];
  return ({ x, y }) => toPicture({ x, y: y - top });
}
