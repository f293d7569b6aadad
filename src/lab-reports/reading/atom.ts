import type { ColumnRole } from './lexicon/headers.ts';
import type { Box, Word } from './word.ts';

/**
 * What a piece of a line looks like by itself, before anyone knows its column. `compared` is a number with a
 * comparator: a value or a one-sided range. `threshold` is the bound of a method, in brackets behind what it found.
 * `label` names what follows it: "Range: 70-99".
 */
// prettier-ignore
export type AtomKind =
  'text' | 'number' | 'compared' | 'range' | 'unit' | 'flag' | 'quality' | 'date' | 'blank' | 'threshold' | 'label';

export interface Atom {
  readonly kind: AtomKind;
  readonly text: string;
  readonly words: readonly Word[];
  readonly box: Box;
  /** Which segment of the row it stands in. */
  readonly segment: number;
  /** What a label before it in the same segment says that it is; for a label, what it announces. */
  readonly said?: ColumnRole;
}
