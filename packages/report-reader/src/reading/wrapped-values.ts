import type { Atom } from './atoms.ts';
import { measureGapAbove } from './continuations.ts';
import { type ResultDraft, joinAtomText } from './result-draft.ts';
import { isOrganism, parseQualitative } from './lexicon/qualitative-results.ts';
import type { ReadingState } from './reading-state.ts';
import type { ParsedRow } from './regions.ts';

/** A result in words that continues in the next row of its column; a method or its flag may be next to it. */
export function takeWrappedValue(reading: ReadingState, { parts, atoms, row }: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const [first] = parts.value;
  if (!draft || !first || draft.row.page !== row.page || reading.pending.length > 0) return false;
  const flags = draft.flag.length === 0 ? parts.flag.filter(({ box }) => box.x0 > first.box.x0) : [];
  const isAlone = atoms.every(
    (atom) =>
      parts.value.includes(atom) ||
      parts.range.includes(atom) ||
      flags.includes(atom) ||
      (atom.labelRole === 'method' && atom.segment < first.segment),
  );
  const last = draft.value.at(-1);
  const inWords = [first, last].every((atom) => atom?.kind === 'text' || atom?.kind === 'quality');
  const isBelow = last !== undefined && first.box.x0 < last.box.x1 + 20 && last.box.x0 < first.box.x1 + 20;
  const size = first.words[0]?.fontSize ?? row.fontSize;
  if (!isAlone || !inWords || !isBelow || !last || measureGapAbove(draft, row) > 0.5 * size) return false;
  // Text right under "Reference value:" is a range, even in words.
  if (draft.rangeLabel && Math.abs(draft.rangeLabel.box.x0 - row.box.x0) < 3) return false;
  if (
    isAtMargin(draft, first) ||
    isRemarkBelow(draft.value, first, atoms) ||
    isHeadingBelow(draft.value, parts.value)
  )
    return false;
  draft.value.push(...parts.value);
  draft.flag.push(...flags);
  if (parts.range.length > 0) draft.range.push([...parts.range]);
  draft.lastRow = row;
  return true;
}

/** "Escherichia" at the end of a cell, and left-aligned right below it only "coli", where no name begins. */
export function takeWrappedOrganism(reading: ReadingState, { atoms, row }: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const [word, ...others] = atoms;
  const [first, last] = [draft?.value[0], draft?.value.at(-1)];
  if (!draft || !first || !last || word?.kind !== 'text' || others.length > 0) return false;
  const isCell =
    Math.abs(word.box.x0 - first.box.x0) < 3 &&
    word.box.x0 > (draft.nameRows[0]?.[0]?.box.x0 ?? 0) + 10 &&
    measureGapAbove(draft, row) < 0.5 * row.fontSize;
  const name = `${last.text.split(' ').at(-1) ?? ''} ${word.text}`;
  if (!isCell || reading.pending.length > 0 || last.kind !== 'text' || !isOrganism(name)) return false;
  draft.value.push(word);
  draft.lastRow = row;
  return true;
}

/** Text at the name margin, far left of the value above it, is another name. */
const isAtMargin = ({ nameRows, value }: ResultDraft, { box }: Atom): boolean => {
  const margin = nameRows[0]?.[0]?.box.x0;
  return margin !== undefined && box.x0 < margin + 3 && (value[0]?.box.x0 ?? 0) > margin + 10;
};

/** "Malaria smear, thick | P. vivax" above "and thin | ring forms": name and finding continue together. */
export function takeWrappedNameAndValue(reading: ReadingState, { parts, atoms, row }: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const [above, over] = [draft?.nameRows.at(-1)?.[0], draft?.value[0]];
  const [name, value] = [parts.name[0], parts.value[0]];
  if (!draft || !above || !over || !name || !value || reading.pending.length > 0) return false;
  const isWords = [over, value].every(({ kind }) => kind === 'text') && atoms.length === 2;
  const isSmall = [name, value].every(({ text }) => /^\p{Ll}{2}/u.test(text));
  const isAligned = Math.abs(name.box.x0 - above.box.x0) < 2 && Math.abs(value.box.x0 - over.box.x0) < 2;
  const isRightBelow = measureGapAbove(draft, row) < 0.5 * row.fontSize && draft.lastRow === draft.row;
  if (!isWords || !isSmall || !isAligned || !isRightBelow) return false;
  draft.nameRows.push(name.words.slice());
  draft.value.push(...parts.value);
  draft.lastRow = row;
  return true;
}

/**
 * What does not continue a value: text below a titer, a line that begins far to the left or has sentences, or a
 * sentence below a complete finding: "Negative" above "Repeat testing in two weeks".
 */
function isRemarkBelow(value: readonly Atom[], below: Atom, atoms: readonly Atom[]): boolean {
  const above = value.at(-1);
  const line = joinAtomText(atoms.slice(atoms.indexOf(below)));
  return (
    above !== undefined &&
    (parseQualitative(above.text) === 'titer' ||
      (above.box.x0 - below.box.x0 > 20 && /\p{L}: |[.] \p{Lu}/u.test(below.text)) ||
      (parseQualitative(joinAtomText(value)) !== undefined &&
        BEGINS_SENTENCE.test(line) &&
        !isGrowthDetail(line)))
  );
}

/** "SEROLOGY" below a complete finding: larger print, or capitals in another font. */
function isHeadingBelow(value: readonly Atom[], below: readonly Atom[]): boolean {
  const [word, own] = [below[0]?.words[0], value.at(-1)?.words.at(-1)];
  if (!word || !own || parseQualitative(joinAtomText(value)) === undefined) return false;
  const isOtherFace = word.font !== undefined && own.font !== undefined && word.font !== own.font;
  return (
    /^\P{Ll}*\p{Lu}{4}\P{Ll}*$/u.test(joinAtomText(below)) &&
    (isOtherFace || word.fontSize > 1.05 * own.fontSize)
  );
}

/** "Growth", with the organism below it. */
const isGrowthDetail = (text: string): boolean =>
  isOrganism(text.split(' ').slice(0, 2).join(' ')) ||
  /^(?:heavy|light|moderate|scanty?|few|many|mixed|rare|numerous|abundant\p{L}*|escas[ao]s?|moderad[ao]s?)\s/iu.test(
    text,
  );

/** A capital only at the start, and at least four words. */
const BEGINS_SENTENCE = /^\p{Lu}\p{Ll}+(?:\s\S+){3}/u;
