import type { ReportPage } from '../reading/report-model.ts';
import { doubtMisalignedLines } from './misaligned-lines.ts';
import type { OcrEngine } from './engine.ts';
import {
  type ImagePoint,
  type ImageSize,
  transformPoint,
  invert,
  readableLength,
  undoTurn,
} from './geometry.ts';
import { dewarpLines } from './dewarp.ts';
import { type CleanedSheet, type ImagePreparation, preparePage } from './prepare.ts';
import { DEFAULT_PAGE_LENGTH, toPage } from './to-page.ts';

/** The OCR result of one sheet of an image. */
export interface OcrSheet {
  /** In points of the upright sheet. */
  readonly page: ReportPage;
  readonly preparation: ImagePreparation;
  /** Maps its points to pixels of the image. */
  readonly toPicture: (point: ImagePoint) => ImagePoint;
}

interface OcrSheetOptions {
  /** Points per pixel of the image, if known. */
  readonly pointsPerPixel: number | undefined;
  /** Page number, from 1. */
  readonly number: number;
}

/** After this many turns, a page is read in its present orientation. */
const MOST_TURNS = 2;

/** Reads a sheet, and turns it upright first if the engine asks for it. */
export async function readSheet(
  engine: OcrEngine,
  sheet: CleanedSheet,
  { pointsPerPixel, number }: OcrSheetOptions,
): Promise<OcrSheet> {
  let prepared = preparePage(sheet, 0);
  let reading = await engine.read(prepared.image, { mayTurn: true });
  for (let turns = 1; reading.kind === 'turn'; turns += 1) {
    prepared = preparePage(sheet, (prepared.preparation.quarters + reading.quarters) % 4);
    reading = await engine.read(prepared.image, { mayTurn: turns < MOST_TURNS });
  }
  const { image, preparation, toSource } = prepared;
  const scale =
    pointsPerPixel === undefined
      ? DEFAULT_PAGE_LENGTH / readableLength(image)
      : pointsPerPixel / preparation.scale;
  const { lines, toInput } = dewarpLines(reading.lines, image);
  return {
    page: toPage(doubtMisalignedLines(lines, image), { image, scale, number }),
    preparation,
    toPicture: ({ x, y }) => transformPoint(toSource, toInput({ x: x / scale, y: y / scale })),
  };
}

/** A sheet with its vertical offset on the page that stacks all sheets of an image. */
interface PlacedSheet extends OcrSheet {
  readonly top: number;
}

/** Orders the sheets of an image for reading: from left to right, or from top to bottom. */
export function orderSheets(sheets: readonly OcrSheet[], picture: ImageSize): PlacedSheet[] {
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

/** The center of a sheet on the image, in the orientation of the sheet. */
function middleOf({ page, preparation, toPicture }: OcrSheet, picture: ImageSize): ImagePoint {
  const middle = toPicture({ x: page.width / 2, y: page.height / 2 });
  return transformPoint(invert(undoTurn(preparation.quarters, picture)), middle);
}

/** Stacks all sheets vertically as one page. */
export const stackSheets = (sheets: readonly PlacedSheet[], page: ReportPage): ReportPage => ({
  ...page,
  width: Math.max(...sheets.map((sheet) => sheet.page.width)),
  height: sheets.reduce((sum, sheet) => sum + sheet.page.height, 0),
  words: sheets.flatMap(({ page: { words }, top }) =>
    words.map((word) => ({ ...word, box: { ...word.box, y0: word.box.y0 + top, y1: word.box.y1 + top } })),
  ),
});

/** Maps points of the stacked page at this height to pixels of the image. */
export function toPictureAt(
  sheets: readonly [PlacedSheet, ...PlacedSheet[]],
  height: number,
): (point: ImagePoint) => ImagePoint {
  const { toPicture, top } = sheets.findLast((sheet) => sheet.top <= height) ?? sheets[0];
  return ({ x, y }) => toPicture({ x, y: y - top });
}
