import { aboveGapOf } from './continuations.ts';
import type { ParsedRow } from './regions.ts';
import type { Reading } from './reading-state.ts';

/** "Units: g/dL" and "Flag: Low" in lines of their own below a result that says of itself that it is one. */
export function takeLabelledField({ drafts, pending }: Reading, { atoms, row }: ParsedRow): boolean {
  const draft = drafts.at(-1);
  const [label, field, ...others] = atoms;
  const role = label?.kind === 'label' ? label.said : undefined;
  const isBelow =
    draft !== undefined &&
    draft.value[0]?.said === 'value' &&
    pending.length === 0 &&
    aboveGapOf(draft, row) < 1.2 * row.fontSize;
  if (!isBelow || !field || others.length > 0 || (role !== 'unit' && role !== 'flag')) return false;
  const isOfKind =
    role === 'unit' ? field.kind === 'unit' : field.kind === 'flag' || field.kind === 'quality';
  if (!isOfKind || draft[role].length > 0) return false;
  draft[role].push(field);
  draft.lastRow = row;
  return true;
}
