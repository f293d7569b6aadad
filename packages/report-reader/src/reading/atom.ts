import type { ColumnRole } from './lexicon/column-headings.ts';
import type { BoundingBox, ReportWord } from './report-model.ts';

/**
 * The form of an atom, before its column is known. `compared` is a number with a comparator: a value or a one-sided
 * range. `threshold` is the cutoff of a method, in brackets after the finding. `label` names what follows it: "Range:
 * 70-99".
 */
// prettier-ignore
export type AtomKind =
  'text' | 'number' | 'compared' | 'range' | 'unit' | 'flag' | 'quality' | 'date' | 'blank' | 'threshold' | 'label';

export interface Atom {
  readonly kind: AtomKind;
  readonly text: string;
  readonly words: readonly ReportWord[];
  readonly box: BoundingBox;
  /** Index of its segment in the row. */
  readonly segment: number;
  /** The role announced by a label before it in the same segment; for a label, the role that it announces. */
  readonly labelRole?: ColumnRole;
}
