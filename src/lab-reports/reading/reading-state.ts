import type { Atom } from './atoms.ts';
import type { Column } from './columns.ts';
import type { Draft } from './drafts.ts';
import type { ParsedRow, Region } from './regions.ts';
import type { Row } from './rows.ts';
import type { Word } from './word.ts';

/** What is remembered from line to line, and from table to table. */
export interface Reading {
  readonly drafts: Draft[];
  /** Stands above results like a heading, and is none. */
  readonly labName: string | null;
  panel: string | null;
  section: string | null;
  specimenHint: string | null;
  /** Lines with nothing but a name, which may belong to the value below them. */
  pending: Pending[];
  /** Lines of a range that begins above the line of its result. */
  rangeAhead: { atoms: Atom[]; unit: Atom[]; row: Row }[];
  /** A name at the very end of a page, whose value may begin the next one. */
  carriedName: Word[] | null;
  /** The last line of a comment; null outside of one. */
  note: Row | null;
  /** What grew, as the heading of its antibiogram; null outside of one. */
  antibiogram: string | null;
}

export interface Pending {
  readonly words: Word[];
  readonly row: Row;
  readonly parsed: ParsedRow;
  /** How the amount below is seen, where a card says so beside the name. */
  readonly status?: readonly Atom[];
}

export const newReading = (labName: string | null): Reading => ({
  drafts: [],
  labName,
  panel: null,
  section: null,
  specimenHint: null,
  pending: [],
  rangeAhead: [],
  carriedName: null,
  note: null,
  antibiogram: null,
});

export interface Place {
  readonly region: Region;
  readonly columns: readonly Column[];
  readonly limit: number;
  readonly pitch: number;
  /** Nobody knows which of several numbers in most of its lines is of this time. */
  readonly hasRivals: boolean;
}
