import { measureGapAbove } from './continuations.ts';
import type { ParsedRow } from './regions.ts';
import type { ReadingState } from './reading-state.ts';

/** "Units: g/dL" and "Flag: Low" in rows of their own below a labeled result. */
export function takeLabeledField({ drafts, pending }: ReadingState, { atoms, row }: ParsedRow): boolean {
  const draft = drafts.at(-1);
  const [label, field, ...others] = atoms;
  const role = label?.kind === 'label' ? label.labelRole : undefined;
  const isBelow =
    draft !== undefined &&
    draft.value[0]?.labelRole === 'value' &&
    pending.length === 0 &&
    measureGapAbove(draft, row) < 1.2 * row.fontSize;
  if (!isBelow || !field || others.length > 0 || (role !== 'unit' && role !== 'flag')) return false;
  const isOfKind =
    role === 'unit' ? field.kind === 'unit' : field.kind === 'flag' || field.kind === 'quality';
  if (!isOfKind || draft[role].length > 0) return false;
  draft[role].push(field);
  draft.lastRow = row;
  return true;
}
