import type { Symbol2d } from './barcode.ts';
import type { TextStyle } from './measure.ts';

/** What is drawn on a page, in points from the upper left corner of what it stands in. */
export type Mark = TextMark | LineMark | BoxMark | BarsMark;

/**
 * What a mark is part of for those who do not see the page: a paragraph, a cell. One object is one element of the
 * document, on however many lines and pages; marks of none are decoration, and left out when the page is read aloud.
 */
export interface Element {
  readonly role: 'H1' | 'H2' | 'P' | 'Table' | 'TR' | 'TH' | 'TD' | 'L' | 'LI' | 'Figure';
  readonly within?: Element;
  /** What a picture shows, in words. */
  readonly alt?: string;
}

interface Part {
  readonly element?: Element | undefined;
}

export interface TextMark extends TextStyle, Part {
  readonly kind: 'text';
  readonly x: number;
  /** The baseline. */
  readonly y: number;
  readonly text: string;
  readonly color: string;
}

/** A line across. */
export interface LineMark extends Part {
  readonly kind: 'line';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly thickness: number;
  readonly color: string;
}

export interface BoxMark extends Part {
  readonly kind: 'box';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly fill?: string;
  readonly stroke?: string;
}

export interface BarsMark extends Part {
  readonly kind: 'bars';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly symbol: Symbol2d;
}

// prettier-ignore
export const COLOR = {
  ink: '#111111', soft: '#555555', rule: '#b8b8b8', shade: '#f1f2f4', alarm: '#a40000', past: '#8a8f98', past_alarm: '#d98a8a',
  band: '#e3ecf7',
} as const;

export const rule = (line: Omit<LineMark, 'kind'>): LineMark => ({ kind: 'line', ...line });

/** The same marks somewhere else. */
export const moved = (marks: readonly Mark[], dx: number, dy: number): Mark[] =>
  marks.map((mark) => ({ ...mark, x: mark.x + dx, y: mark.y + dy }));

/** The same marks as part of an element; those that are part of one already stay so. */
export const partOf = (element: Element, marks: readonly Mark[]): Mark[] =>
  marks.map((mark) => (mark.element || mark.kind === 'line' ? mark : { ...mark, element }));

/** The same marks as decoration. */
export const asDecoration = (marks: readonly Mark[]): Mark[] =>
  marks.map((mark) => ({ ...mark, element: undefined }));

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
