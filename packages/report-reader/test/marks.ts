import { createCanvas, loadImage, type SKRSContext2D } from '@napi-rs/canvas';
import { encodePng } from '../src/ocr/encode-png.ts';
import { type GrayImage, toGray } from '../src/ocr/image.ts';

/** Marks on a page besides its black print: colors of the laboratory, and what people add. */
export interface PageMarks {
  /** Background color of every second row. */
  readonly stripes?: string;
  /** About every eighth row is white on this color. */
  readonly bands?: string;
  /** How much paler every second column of print is, 0 to 1. */
  readonly pale?: number;
  /** Color of rules that touch the bottom of the print in each row. */
  readonly rules?: string;
  /** Colors of highlighters on some rows. */
  readonly highlighter?: readonly string[];
  /** Ink color of a round and a rectangular stamp. */
  readonly stamp?: string;
  /** Color of a pen with ticks, circles and scribbles. */
  readonly pen?: string;
}

type Roll = () => number;

interface TextRow {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

interface MarkedSheet {
  readonly context: SKRSContext2D;
  readonly width: number;
  readonly height: number;
  readonly rows: readonly TextRow[];
  readonly roll: Roll;
}

/** Adds the marks in the order in which they would be made. */
export async function markPage(page: GrayImage, marks: PageMarks, roll: Roll): Promise<GrayImage> {
  const { width, height } = page;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.drawImage(await loadImage(encodePng(page)), 0, 0);
  const sheet: MarkedSheet = { context, width, height, rows: rowsOf(page), roll };
  if (marks.pale) paleColumns(sheet, marks.pale);
  if (marks.stripes) drawStripes(sheet, marks.stripes);
  if (marks.bands) drawBands(sheet, marks.bands);
  if (marks.rules) drawRules(sheet, marks.rules);
  if (marks.highlighter) drawHighlights(sheet, marks.highlighter);
  if (marks.stamp) drawStamps(sheet, marks.stamp);
  if (marks.pen) drawPen(sheet, marks.pen);
  return toGray(context.getImageData(0, 0, width, height).data, { width, height });
}

const DARK = 150;
const LEAST_ROW = 8;

/** The rows of print of an unmarked page. */
function rowsOf({ width, height, data }: GrayImage): TextRow[] {
  const rows: TextRow[] = [];
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

function compose(
  { context }: MarkedSheet,
  how: 'multiply' | 'screen' | 'difference' | 'source-over',
  draw: () => void,
): void {
  context.save();
  context.globalCompositeOperation = how;
  draw();
  context.restore();
}

function paleColumns(sheet: MarkedSheet, share: number): void {
  const { context, width, height } = sheet;
  const gray = Math.round(255 * share);
  compose(sheet, 'screen', () => {
    context.fillStyle = `rgb(${gray}, ${gray}, ${gray})`;
    for (let column = 1; column < 6; column += 2)
      context.fillRect((column * width) / 6, 0, width / 6, height);
  });
}

const MARGIN = 0.04;

function fillRow({ context, width }: MarkedSheet, { top, bottom }: TextRow, pad: number): void {
  context.fillRect(width * MARGIN, top - pad, width * (1 - 2 * MARGIN), bottom - top + 2 * pad);
}

function drawStripes(sheet: MarkedSheet, colour: string): void {
  compose(sheet, 'multiply', () => {
    sheet.context.fillStyle = colour;
    sheet.rows.filter((_, index) => index % 2 === 1).forEach((row) => fillRow(sheet, row, 5));
  });
}

/** Inverts the rows, and turns their black into the color. */
function drawBands(sheet: MarkedSheet, colour: string): void {
  const some = sheet.rows.filter((_, index) => index % 8 === 3);
  compose(sheet, 'difference', () => {
    sheet.context.fillStyle = '#ffffff';
    some.forEach((row) => fillRow(sheet, row, 5));
  });
  compose(sheet, 'screen', () => {
    sheet.context.fillStyle = colour;
    some.forEach((row) => fillRow(sheet, row, 5));
  });
}

function drawRules(sheet: MarkedSheet, colour: string): void {
  const { context, width, rows } = sheet;
  context.fillStyle = colour;
  for (const { bottom } of rows) {
    context.fillRect(width * MARGIN, bottom - 1, width * (1 - 2 * MARGIN), 2);
  }
}

function drawHighlights(sheet: MarkedSheet, colours: readonly string[]): void {
  const { context, rows, roll } = sheet;
  compose(sheet, 'multiply', () => {
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

function drawStamps(sheet: MarkedSheet, colour: string): void {
  const { context, width, height, roll } = sheet;
  compose(sheet, 'multiply', () => {
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

function drawPen(sheet: MarkedSheet, colour: string): void {
  const { context, rows, width, roll } = sheet;
  compose(sheet, 'multiply', () => {
    context.strokeStyle = colour;
    context.lineWidth = 4;
    for (const { top, bottom, left, right } of rows) {
      const kind = roll();
      const middle = (top + bottom) / 2;
      context.beginPath();
      if (kind < 0.08) {
        // A circle around a value.
        context.ellipse(left + (right - left) * roll(), middle, 60, bottom - top, 0, 0, 2 * Math.PI);
      } else if (kind < 0.16) {
        // A tick in the margin.
        context.moveTo(left - 30, middle);
        context.lineTo(left - 20, bottom);
        context.lineTo(left - 2, top - 8);
      } else if (kind < 0.22) {
        // A handwritten underline.
        context.moveTo(left, bottom + 3);
        context.bezierCurveTo(left + 100, bottom - 2, right - 100, bottom + 8, right, bottom + 1);
      } else if (kind < 0.26) {
        // An illegible note.
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
