import type { Symbol2d } from './barcode.ts';
import type { TextStyle } from './measure.ts';

/** What is drawn on a page, in points from the upper left corner of what it stands in. */
export type Mark = TextMark | LineMark | BoxMark | BarsMark;

export interface TextMark extends TextStyle {
  readonly kind: 'text';
  readonly x: number;
  /** The baseline. */
  readonly y: number;
  readonly text: string;
  readonly color: string;
}

/** A line across. */
export interface LineMark {
  readonly kind: 'line';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly thickness: number;
  readonly color: string;
}

export interface BoxMark {
  readonly kind: 'box';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly fill?: string;
  readonly stroke?: string;
}

export interface BarsMark {
  readonly kind: 'bars';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly symbol: Symbol2d;
}

// prettier-ignore
export const COLOR = {
  ink: '#111111', soft: '#555555', rule: '#b8b8b8', shade: '#f1f2f4', alarm: '#a40000',
} as const;

export const rule = (line: Omit<LineMark, 'kind'>): LineMark => ({ kind: 'line', ...line });

/** The same marks somewhere else. */
export const moved = (marks: readonly Mark[], dx: number, dy: number): Mark[] =>
  marks.map((mark) => ({ ...mark, x: mark.x + dx, y: mark.y + dy }));

/** Finished pages, ready to be drawn. */
export interface Printed {
  readonly title: string;
  /** When what it says was said: the same paper has the same bytes. */
  readonly createdAt: Date;
  /** Points. */
  readonly width: number;
  readonly height: number;
  readonly pages: readonly (readonly Mark[])[];
}
