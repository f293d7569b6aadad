import type { Symbol2d } from './barcode.ts';

/** What a paper is made of, from top to bottom. A family of things: the layout of each is a row in `layout.ts`. */
export type Block =
  | Heading
  | Paragraph
  | Fields
  | Table
  | List
  | Notice
  | Columns
  | Barcode
  | Blanks
  | { readonly kind: 'gap'; readonly height: number };

export interface Heading {
  readonly kind: 'heading';
  readonly text: string;
}

export interface Paragraph {
  readonly kind: 'text';
  readonly text: string;
  readonly size?: number;
  readonly bold?: boolean;
  readonly color?: string;
  /** The name of the paper. */
  readonly isTitle?: boolean;
}

/** Labels with their values, in that many columns. */
export interface Fields {
  readonly kind: 'fields';
  readonly title?: string;
  readonly columns: number;
  readonly fields: readonly (readonly [label: string, value: string])[];
}

/** Values beside each other, the oldest left; a small picture, with what it shows in words for who does not see it. */
export interface Trend {
  readonly values: readonly { readonly value: number; readonly isRemarkable: boolean }[];
  /** What is usual; null where there is no bound. */
  readonly low: number | null;
  readonly high: number | null;
  readonly inWords: string;
}

export interface Cell {
  readonly text: string;
  readonly trend?: Trend | undefined;
  readonly bold?: boolean;
  readonly color?: string;
}

export interface TableColumn {
  readonly title: string;
  /** Of the width, in parts of the sum of all. */
  readonly share: number;
  readonly align?: 'left' | 'right';
}

/** A row of cells, or one cell across all columns. */
export type TableRow = readonly (string | Cell)[] | { readonly across: Cell; readonly isGroup?: boolean };

export interface Table {
  readonly kind: 'table';
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRow[];
}

export interface List {
  readonly kind: 'list';
  readonly items: readonly string[];
  /** What stands before an item; a box is to be marked by hand. */
  readonly sign?: 'dot' | 'number' | 'box';
  readonly size?: number;
}

/** A text that must be seen, in a frame. */
export interface Notice {
  readonly kind: 'notice';
  readonly text: string;
  readonly size?: number;
  readonly color?: string;
}

/** Side by side; what stands in them is not cut by the end of a page. */
export interface Columns {
  readonly kind: 'columns';
  readonly shares: readonly number[];
  readonly parts: readonly (readonly Block[])[];
}

/** Blocks that stand on one page. */
export const together = (blocks: readonly Block[]): Columns => ({
  kind: 'columns',
  shares: [1],
  parts: [blocks],
});

export interface Barcode {
  readonly kind: 'barcode';
  readonly symbol: Symbol2d;
  /** Points; the width is as large as may be, up to `moduleMax` a module. */
  readonly height: number;
  readonly moduleMax: number;
  readonly caption?: string;
  readonly align?: 'left' | 'right';
}

/** Lines to be filled in by hand. */
export interface Blanks {
  readonly kind: 'blanks';
  readonly fields: readonly { readonly label: string; readonly share: number; readonly value?: string }[];
}

export interface Paper {
  readonly title: string;
  readonly createdAt: Date;
  /** On every page but the first, so that a page that went astray can be told. */
  readonly runningHead: string;
  readonly foot: string;
  readonly blocks: readonly Block[];
}
