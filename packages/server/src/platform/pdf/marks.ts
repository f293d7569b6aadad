import type { BarcodeSymbol } from './barcode.ts';
import type { FontStyle } from './measure.ts';

/** A drawing instruction, in points from the upper left corner of its container. */
export type DrawingMark = TextMark | LineMark | BoxMark | BarsMark | ImageMark | PolylineMark | DotMark;

/**
 * An element of the document structure for screen readers: a paragraph, a cell. One object is one element, even across
 * lines and pages. Marks without an element are decoration, which screen readers skip.
 */
export interface StructureElement {
  readonly role: 'H1' | 'H2' | 'P' | 'Table' | 'TR' | 'TH' | 'TD' | 'L' | 'LI' | 'Figure';
  readonly within?: StructureElement;
  /** Text alternative of a figure. */
  readonly alt?: string;
}

interface TaggedMark {
  readonly element?: StructureElement | undefined;
}

export interface TextMark extends FontStyle, TaggedMark {
  readonly kind: 'text';
  readonly x: number;
  /** The baseline. */
  readonly y: number;
  readonly text: string;
  readonly color: string;
}

/** A horizontal line. */
export interface LineMark extends TaggedMark {
  readonly kind: 'line';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly thickness: number;
  readonly color: string;
}

export interface BoxMark extends TaggedMark {
  readonly kind: 'box';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly fill?: string;
  readonly stroke?: string;
}

export interface BarsMark extends TaggedMark {
  readonly kind: 'bars';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly symbol: BarcodeSymbol;
}

export interface ImageMark extends TaggedMark {
  readonly kind: 'image';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** A PNG or JPEG. */
  readonly bytes: Buffer;
}

export interface PolylineMark extends TaggedMark {
  readonly kind: 'polyline';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** From the upper left corner of the mark. */
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly thickness: number;
  readonly color: string;
}

export interface DotMark extends TaggedMark {
  readonly kind: 'dot';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly fill: string;
  readonly stroke: string;
}

// prettier-ignore
export const COLOR = {
  ink: '#111111', soft: '#555555', rule: '#b8b8b8', shade: '#f1f2f4', alarm: '#a40000', past: '#8a8f98',
  band: '#dce9f7',
} as const;

export const rule = (line: Omit<LineMark, 'kind'>): LineMark => ({ kind: 'line', ...line });

/** The same marks, moved. */
export const moveMarks = (marks: readonly DrawingMark[], dx: number, dy: number): DrawingMark[] =>
  marks.map((mark) => ({ ...mark, x: mark.x + dx, y: mark.y + dy }));

/** The same marks as part of an element; marks that already have one keep it. */
export const tagMarks = (element: StructureElement, marks: readonly DrawingMark[]): DrawingMark[] =>
  marks.map((mark) => (mark.element || mark.kind === 'line' ? mark : { ...mark, element }));

/** The same marks as decoration. */
export const asDecoration = (marks: readonly DrawingMark[]): DrawingMark[] =>
  marks.map((mark) => ({ ...mark, element: undefined }));

/** A file that a document carries; a viewer lists it and saves it as it is. */
export interface PdfAttachment {
  readonly name: string;
  readonly mediaType: string;
  readonly createdAt: Date;
  readonly bytes: Uint8Array;
}

/** Laid-out pages, ready to be rendered. */
export interface LaidOutDocument {
  readonly title: string;
  /** The date of its content, not of the rendering, so that the same document has the same bytes. */
  readonly createdAt: Date;
  /** Points. */
  readonly width: number;
  readonly height: number;
  readonly pages: readonly (readonly DrawingMark[])[];
  readonly attachments?: readonly PdfAttachment[];
}
