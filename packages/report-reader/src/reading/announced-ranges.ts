import { measureGapAbove } from './continuations.ts';
import { hasAnalyteWord } from './lexicon/analytes.ts';
import type { ReadingState } from './reading-state.ts';
import type { ParsedRow } from './regions.ts';

/** "Not pregnant: below 5.00 mIU/mL" right under a range label is a range, though it looks like a result. */
export function takeAnnouncedRange(reading: ReadingState, { atoms, row, parts }: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const label = draft?.rangeLabel;
  const [name, interval] = atoms;
  const isNext =
    draft && label && draft.lastRow.box.y0 >= label.box.y0 && measureGapAbove(draft, row) < row.fontSize;
  if (!isNext || name?.kind !== 'text' || !name.text.endsWith(':') || hasAnalyteWord(name.text)) return false;
  if (
    (interval?.kind !== 'range' && interval?.kind !== 'compared') ||
    parts.flag.length > 0 ||
    atoms.length > 3
  )
    return false;
  draft.range.push([...atoms]);
  draft.lastRow = row;
  return true;
}
