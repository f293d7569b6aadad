import { createCanvas, loadImage, type SKRSContext2D } from '@napi-rs/canvas';
import { pngOf } from '../../src/lab-reports/ocr/encode-png.ts';
import { type GrayImage, grayOf } from '../../src/lab-reports/ocr/image.ts';

/** What is on a page besides its black print: colours of the laboratory, and what people put on it. */
export interface Marks {
  /** The colour behind every second row. */
  readonly stripes?: string;
  /** Rows in white on this colour: about every eighth. */
  readonly bands?: string;
  /** Every second column of print is so much paler, 0 to 1. */
  readonly pale?: number;
  /** Rules between the rows, and one that touches the foot of the print in each. */
  readonly rules?: string;
  /** Some rows are drawn over with pens of these colours. */
  readonly highlighter?: readonly string[];
  /** A round stamp and a square one, in the colour of their ink. */
  readonly stamp?: string;
  /** Ticks, circles and scribbles of a pen. */
  readonly pen?: string;
}

type Roll = () => number;

interface Row {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

interface Sheet {
  readonly context: SKRSContext2D;
  readonly width: number;
  readonly height: number;
  readonly rows: readonly Row[];
  readonly roll: Roll;
}

/** The page with its marks, in the order in which they come onto it. */
export async function marked(page: GrayImage, marks: Marks, roll: Roll): Promise<GrayImage> {
  const { width, height } = page;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.drawImage(await loadImage(pngOf(page)), 0, 0);
  const sheet: Sheet = { context, width, height, rows: rowsOf(page), roll };
  if (marks.pale) pale(sheet, marks.pale);
  if (marks.stripes) striped(sheet, marks.stripes);
  if (marks.bands) banded(sheet, marks.bands);
  if (marks.rules) ruled(sheet, marks.rules);
  if (marks.highlighter) highlighted(sheet, marks.highlighter);
  if (marks.stamp) stamped(sheet, marks.stamp);
  if (marks.pen) scribbled(sheet, marks.pen);
  return grayOf(context.getImageData(0, 0, width, height).data, { width, height });
}

const DARK = 150;
const LEAST_ROW = 8;

/** The rows of print of a page that nothing has happened to yet. */
function rowsOf({ width, height, data }: GrayImage): Row[] {
  const rows: Row[] = [];
  let open: { top: number; left: number; right: number } | undefined;
  for (let y = 0; y <= height; y += 1) {
    const line = data.subarray(y * width, (y + 1) * width);
    const left = line.findIndex((gray) => gray < DARK);
    if (left >= 0) {
      const right = line.findLastIndex((gray) => gray < DARK);
      open = {
        top: open?.top ?? y,
        left: Math.min(open?.left ?? left, left),
        right: Math.max(open?.right ?? right, right),
      };
    } else if (open) {
      if (y - open.top >= LEAST_ROW) rows.push({ ...open, bottom: y });
      open = undefined;
    }
  }
  return rows;
}

function over(
  { context }: Sheet,
  how: 'multiply' | 'screen' | 'difference' | 'source-over',
  draw: () => void,
): void {
  context.save();
  context.globalCompositeOperation = how;
  draw();
  context.restore();
}

function pale(sheet: Sheet, share: number): void {
  const { context, width, height } = sheet;
  const gray = Math.round(255 * share);
  over(sheet, 'screen', () => {
    context.fillStyle = `rgb(${gray}, ${gray}, ${gray})`;
    for (let column = 1; column < 6; column += 2)
      context.fillRect((column * width) / 6, 0, width / 6, height);
  });
}

const MARGIN = 0.04;

function bar({ context, width }: Sheet, { top, bottom }: Row, pad: number): void {
  context.fillRect(width * MARGIN, top - pad, width * (1 - 2 * MARGIN), bottom - top + 2 * pad);
}

function striped(sheet: Sheet, colour: string): void {
  over(sheet, 'multiply', () => {
    sheet.context.fillStyle = colour;
    sheet.rows.filter((_, index) => index % 2 === 1).forEach((row) => bar(sheet, row, 5));
  });
}

/** Black on white turned into white on black, and the black into the colour. */
function banded(sheet: Sheet, colour: string): void {
  const some = sheet.rows.filter((_, index) => index % 8 === 3);
  over(sheet, 'difference', () => {
    sheet.context.fillStyle = '#ffffff';
    some.forEach((row) => bar(sheet, row, 5));
  });
  over(sheet, 'screen', () => {
    sheet.context.fillStyle = colour;
    some.forEach((row) => bar(sheet, row, 5));
  });
}

function ruled(sheet: Sheet, colour: string): void {
  const { context, width, rows } = sheet;
  context.fillStyle = colour;
  for (const { bottom } of rows) {
    context.fillRect(width * MARGIN, bottom - 1, width * (1 - 2 * MARGIN), 2);
  }
}

function highlighted(sheet: Sheet, colours: readonly string[]): void {
  const { context, rows, roll } = sheet;
  over(sheet, 'multiply', () => {
    rows
      .filter(() => roll() < 0.2)
      .forEach((row, index) => {
        context.strokeStyle = colours[index % colours.length] ?? '';
        context.lineWidth = (row.bottom - row.top) * (1 + 0.5 * roll());
        const middle = (row.top + row.bottom) / 2;
        context.beginPath();
        context.moveTo(row.left - 10, middle + (roll() - 0.5) * 8);
        context.lineTo(row.left + (row.right - row.left) * (0.6 + 0.4 * roll()), middle + (roll() - 0.5) * 8);
        context.stroke();
      });
  });
}

function stamped(sheet: Sheet, colour: string): void {
  const { context, width, height, roll } = sheet;
  over(sheet, 'multiply', () => {
    context.globalAlpha = 0.6;
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.lineWidth = 5;
    context.textAlign = 'center';
    context.translate(width * (0.55 + 0.25 * roll()), height * (0.3 + 0.3 * roll()));
    context.rotate((roll() - 0.5) * 0.8);
    context.strokeRect(-190, -60, 380, 120);
    context.font = 'bold 52px Noto Sans, sans-serif';
    context.fillText('RECEIVED', 0, -5);
    context.font = '30px Noto Sans, sans-serif';
    context.fillText('12 MAR 2024', 0, 42);
    context.translate(-width * 0.35, height * 0.22);
    context.beginPath();
    context.arc(0, 0, 120, 0, 2 * Math.PI);
    context.stroke();
    context.fillText('VALIDATED', 0, 10);
  });
}

function scribbled(sheet: Sheet, colour: string): void {
  const { context, rows, width, roll } = sheet;
  over(sheet, 'multiply', () => {
    context.strokeStyle = colour;
    context.lineWidth = 4;
    for (const { top, bottom, left, right } of rows) {
      const kind = roll();
      const middle = (top + bottom) / 2;
      context.beginPath();
      if (kind < 0.08) {
        // A circle about something in the row.
        context.ellipse(left + (right - left) * roll(), middle, 60, bottom - top, 0, 0, 2 * Math.PI);
      } else if (kind < 0.16) {
        // A tick in the margin.
        context.moveTo(left - 30, middle);
        context.lineTo(left - 20, bottom);
        context.lineTo(left - 2, top - 8);
      } else if (kind < 0.22) {
        // A line under it, by hand.
        context.moveTo(left, bottom + 3);
        context.bezierCurveTo(left + 100, bottom - 2, right - 100, bottom + 8, right, bottom + 1);
      } else if (kind < 0.26) {
        // Something written that nobody can read.
        context.moveTo(width * 0.88, middle);
        for (let loop = 0; loop < 8; loop += 1)
          context.bezierCurveTo(
            ...(([0.88, 0.9, 0.892] as const).flatMap((at) => [
              width * (at + loop * 0.009),
              middle + (roll() - 0.5) * 40,
            ]) as [number, number, number, number, number, number]),
          );
      }
      context.stroke();
    }
  });
}
