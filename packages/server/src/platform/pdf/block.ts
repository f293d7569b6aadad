import type { BarcodeSymbol } from './barcode.ts';
import type { PdfAttachment } from './marks.ts';

/** A block of a document, from top to bottom. The layout of each kind is in layout.ts. */
export type DocumentBlock =
  | HeadingBlock
  | ParagraphBlock
  | FieldsBlock
  | TableBlock
  | ListBlock
  | NoticeBlock
  | ColumnsBlock
  | BarcodeBlock
  | BlanksBlock
  | TrendBlock
  | { readonly kind: 'gap'; readonly height: number };

export interface HeadingBlock {
  readonly kind: 'heading';
  readonly text: string;
  readonly color?: string;
  /** Of the line below it. */
  readonly ruleColor?: string;
}

export interface ParagraphBlock {
  readonly kind: 'text';
  readonly text: string;
  readonly size?: number;
  readonly bold?: boolean;
  readonly color?: string;
  /** Whether it is the title of the document. */
  readonly isTitle?: boolean;
}

/** Labels with values, in this number of columns. */
export interface FieldsBlock {
  readonly kind: 'fields';
  readonly title?: string;
  readonly columns: number;
  readonly fields: readonly (readonly [label: string, value: string])[];
}

export interface TrendPoint {
  /** For a value outside the range of the method, its limit. */
  readonly value: number;
  readonly at: Date;
  /** As printed, for example `<0.1`. */
  readonly label: string;
  readonly isRemarkable: boolean;
  /** Whether only a limit is known. */
  readonly isLimit: boolean;
}

/** A quantity over time, in one unit. */
export interface TrendChart {
  readonly title: string;
  /** The unit and the reference range. */
  readonly subtitle: string;
  /** At least one, oldest first. */
  readonly points: readonly TrendPoint[];
  /** The reference range; null where there is no bound. */
  readonly low: number | null;
  readonly high: number | null;
  /** Below the chart. */
  readonly note: string | null;
  /** The text alternative, with all values. */
  readonly inWords: string;
}

interface TrendBlock {
  readonly kind: 'trend';
  readonly chart: TrendChart;
}

export interface TableCell {
  readonly text: string;
  readonly bold?: boolean;
  readonly color?: string;
}

export interface TableColumn {
  readonly title: string;
  /** Relative width. */
  readonly share: number;
  readonly align?: 'left' | 'right';
}

/** A row of cells, or one cell across all columns. */
export type TableRow =
  readonly (string | TableCell)[] | { readonly across: TableCell; readonly isGroup?: boolean };

export interface TableBlock {
  readonly kind: 'table';
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRow[];
}

export interface ListBlock {
  readonly kind: 'list';
  readonly items: readonly string[];
  /** The marker of an item; a box is to be checked by hand. */
  readonly sign?: 'dot' | 'number' | 'box';
  readonly size?: number;
}

/** A framed text that must be noticed. */
export interface NoticeBlock {
  readonly kind: 'notice';
  readonly text: string;
  readonly size?: number;
  readonly color?: string;
}

/** Columns side by side; their content is not split across pages. */
export interface ColumnsBlock {
  readonly kind: 'columns';
  readonly shares: readonly number[];
  readonly parts: readonly (readonly DocumentBlock[])[];
}

/** Keeps blocks on one page. */
export const keepTogether = (blocks: readonly DocumentBlock[]): ColumnsBlock => ({
  kind: 'columns',
  shares: [1],
  parts: [blocks],
});

export interface BarcodeBlock {
  readonly kind: 'barcode';
  readonly symbol: BarcodeSymbol;
  /** In points. The width is as large as possible, up to `moduleMax` points per module. */
  readonly height: number;
  readonly moduleMax: number;
  readonly caption?: string;
  readonly align?: 'left' | 'right';
}

/** Blank lines to fill in by hand. */
export interface BlanksBlock {
  readonly kind: 'blanks';
  readonly fields: readonly { readonly label: string; readonly share: number; readonly value?: string }[];
}

export interface PdfDocument {
  readonly title: string;
  readonly createdAt: Date;
  /** Shown on every page but the first, so that a stray page can be identified. */
  readonly runningHeader: string;
  readonly footer: string;
  readonly blocks: readonly DocumentBlock[];
  readonly brand?: DocumentBrand | undefined;
  readonly attachments?: readonly PdfAttachment[];
}

/** The head of the first page, and the color of headings. */
export interface DocumentBrand {
  readonly name: string;
  /** `#rrggbb`. */
  readonly color: string;
  /** Whether text in the color can be read on white; otherwise only lines have it. */
  readonly isTextColor: boolean;
  readonly logo: DocumentImage | undefined;
}

/** A PNG or JPEG, with its size in pixels. */
interface DocumentImage {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}
