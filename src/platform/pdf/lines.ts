import { printable } from './fonts.ts';
import { moved, type Mark } from './marks.ts';
import { wrap, type TextStyle } from './measure.ts';
import type { Strip } from './strip.ts';

/** Of the font size: from the top of a line to its baseline, and to the next line. */
const BASELINE = 1;
const LEADING = 1.32;

export interface LinesStyle extends TextStyle {
  readonly color: string;
}

/** One strip a line. */
export function lineStrips(text: string, width: number, style: LinesStyle): Strip[] {
  const { size } = style;
  return wrap(printable(text), width, style).map((line) => ({
    height: size * LEADING,
    marks: line === '' ? [] : [{ kind: 'text', x: 0, y: size * BASELINE, text: line, ...style }],
  }));
}

/** Strips as one, which is not cut any more. */
export function joined(strips: readonly Strip[]): Strip {
  const marks: Mark[] = [];
  let y = 0;
  for (const strip of strips) {
    marks.push(...moved(strip.marks, 0, y));
    y += strip.height;
  }
  return { height: y, marks };
}

export const beside = (strip: Strip, dx: number, dy = 0): Strip => ({
  ...strip,
  marks: moved(strip.marks, dx, dy),
});
