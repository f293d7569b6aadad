import { toPrintable } from './fonts.ts';
import { moveMarks, type DrawingMark } from './marks.ts';
import { wrapText, type FontStyle } from './measure.ts';
import type { LayoutStrip } from './strip.ts';

/** In units of the font size: from the top of a line to its baseline, and to the next line. */
const BASELINE = 1;
const LEADING = 1.32;

export interface TextLineStyle extends FontStyle {
  readonly color: string;
}

/** One strip per line. */
export function lineStrips(text: string, width: number, style: TextLineStyle): LayoutStrip[] {
  const { size } = style;
  return wrapText(toPrintable(text), width, style).map((line) => ({
    height: size * LEADING,
    marks: line === '' ? [] : [{ kind: 'text', x: 0, y: size * BASELINE, text: line, ...style }],
  }));
}

/** Joins strips into one that is not split across pages. */
export function joinStrips(strips: readonly LayoutStrip[]): LayoutStrip {
  const marks: DrawingMark[] = [];
  let y = 0;
  for (const strip of strips) {
    marks.push(...moveMarks(strip.marks, 0, y));
    y += strip.height;
  }
  return { height: y, marks };
}

export const offsetStrip = (strip: LayoutStrip, dx: number, dy = 0): LayoutStrip => ({
  ...strip,
  marks: moveMarks(strip.marks, dx, dy),
});
