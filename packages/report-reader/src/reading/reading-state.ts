import type { Atom } from './atoms.ts';
import type { ReportColumn } from './columns.ts';
import type { ResultDraft } from './result-draft.ts';
import type { ParsedRow, TableRegion } from './regions.ts';
import type { TextRow } from './rows.ts';
import type { ReportWord } from './report-model.ts';

/** State carried from row to row and from table to table while results are assembled. */
export interface ReadingState {
  readonly drafts: ResultDraft[];
  /** Stands above results like a heading, but is not one. */
  readonly labName: string | null;
  panel: string | null;
  section: string | null;
  specimenHint: string | null;
  /** Rows with only a name, which may belong to the value below them. */
  pending: PendingName[];
  /** Range rows that precede the row of their result. */
  rangeAhead: { atoms: Atom[]; unit: Atom[]; row: TextRow }[];
  /** A name at the end of a page, whose value may begin the next one. */
  carriedName: ReportWord[] | null;
  /** The last row of a comment; null outside of one. */
  note: TextRow | null;
  /** The organism, as heading of its antibiogram; null outside of one. */
  antibiogram: string | null;
}

export interface PendingName {
  readonly words: ReportWord[];
  readonly row: TextRow;
  readonly parsed: ParsedRow;
  /** The status of the amount below, if a card shows it next to the name. */
  readonly status?: readonly Atom[];
}

export const createReadingState = (labName: string | null): ReadingState => ({
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

export interface RegionContext {
  readonly region: TableRegion;
  readonly columns: readonly ReportColumn[];
  readonly limit: number;
  /** The usual distance from one result to the next, if there are two. */
  readonly pitch: number | undefined;
  /** Most of its rows have several numbers, and it is unknown which of them is current. */
  readonly hasRivals: boolean;
}
