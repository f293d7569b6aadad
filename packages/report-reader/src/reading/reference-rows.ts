import type { Atom } from './atoms.ts';
import { measureGapAbove } from './continuations.ts';
import { isGestational, isScope } from './lexicon/range-scopes.ts';
import type { ResultDraft } from './result-draft.ts';
import type { ReadingState } from './reading-state.ts';
import type { ParsedRow } from './regions.ts';

/** In lines: the largest distance between two rows of a reference table. */
const FARTHEST = 3;

/**
 * "3 semanas   5 - 71" below "Valores de referência": rows of a table of conditions, such as weeks of pregnancy, phases
 * or ages, each with its interval, and the headings of such a table. All of them are lines of the range above.
 */
export function takeReferenceRow(reading: ReadingState, { atoms, row }: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const isBelow =
    draft !== undefined &&
    reading.pending.length === 0 &&
    hasRangeLabel(draft) &&
    measureGapAbove(draft, row) < FARTHEST * row.fontSize;
  const pieces = atoms.filter(({ kind }) => kind !== 'blank');
  if (!isBelow || !(isReferenceLine(pieces) || isReferenceHeading(pieces))) return false;
  draft.range.push(pieces);
  draft.lastRow = row;
  return true;
}

const hasRangeLabel = ({ rangeLabel, inlineRangeLabel, range }: ResultDraft): boolean =>
  rangeLabel !== undefined ||
  inlineRangeLabel !== undefined ||
  range.flat().some(({ labelRole }) => labelRole === 'range');

const isInterval = ({ kind }: Atom): boolean => kind === 'range' || kind === 'compared';

/** A condition in words or numbers, then one interval, then at most a unit. */
function isReferenceLine(pieces: readonly Atom[]): boolean {
  const end = pieces.findLastIndex(isInterval);
  const condition = pieces.slice(0, end);
  return (
    end > 0 &&
    pieces.slice(end + 1).every(({ kind }) => kind === 'unit') &&
    condition.every((atom) => isNumeral(atom) || isCondition(atom)) &&
    condition.filter(isNumeral).length < 2
  );
}

const isNumeral = (atom: Atom): boolean => atom.kind === 'number' || isInterval(atom);

const isCondition = ({ kind, text }: Atom): boolean => kind === 'unit' || (kind !== 'label' && isScope(text));

/** "Semanas de gestação   mUI/mL" and "Gestantes:" */
const isReferenceHeading = (pieces: readonly Atom[]): boolean =>
  pieces.some(({ text }) => isGestational(text)) && pieces.every(isCondition);
