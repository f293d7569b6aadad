import type { Atom } from './atoms.ts';
import { aboveGapOf } from './continuations.ts';
import { type Draft, textOfAtoms } from './drafts.ts';
import { isOrganism, qualityOf } from './lexicon/qualities.ts';
import type { Reading } from './reading-state.ts';
import type { ParsedRow } from './regions.ts';

/** A result in words that goes on in the next line of its column, where a method or its flag may stand beside it. */
export function takeValue(reading: Reading, { parts, atoms, row }: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const [first] = parts.value;
  if (!draft || !first || draft.row.page !== row.page || reading.pending.length > 0) return false;
  const flags = draft.flag.length === 0 ? parts.flag.filter(({ box }) => box.x0 > first.box.x0) : [];
  const isAlone = atoms.every(
    (atom) =>
      parts.value.includes(atom) ||
      parts.range.includes(atom) ||
      flags.includes(atom) ||
      (atom.said === 'method' && atom.segment < first.segment),
  );
  const last = draft.value.at(-1);
  const inWords = [first, last].every((atom) => atom?.kind === 'text' || atom?.kind === 'quality');
  const isBelow = last !== undefined && first.box.x0 < last.box.x1 + 20 && last.box.x0 < first.box.x1 + 20;
  const size = first.words[0]?.fontSize ?? row.fontSize;
  if (!isAlone || !inWords || !isBelow || !last || aboveGapOf(draft, row) > 0.5 * size) return false;
  // What stands right under "Reference value:" is a range, in words though it is.
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

/** "Escherichia" at the end of a cell, and right below its first word "coli" and nothing else, where no name begins. */
export function takeWordBelow(reading: Reading, { atoms, row }: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const [word, ...others] = atoms;
  const [first, last] = [draft?.value[0], draft?.value.at(-1)];
  if (!draft || !first || !last || word?.kind !== 'text' || others.length > 0) return false;
  const isCell =
    Math.abs(word.box.x0 - first.box.x0) < 3 &&
    word.box.x0 > (draft.nameRows[0]?.[0]?.box.x0 ?? 0) + 10 &&
    aboveGapOf(draft, row) < 0.5 * row.fontSize;
  const name = `${last.text.split(' ').at(-1) ?? ''} ${word.text}`;
  if (!isCell || reading.pending.length > 0 || last.kind !== 'text' || !isOrganism(name)) return false;
  draft.value.push(word);
  draft.lastRow = row;
  return true;
}

/** What begins where names do, far before the value above it, is the name of something else. */
const isAtMargin = ({ nameRows, value }: Draft, { box }: Atom): boolean => {
  const margin = nameRows[0]?.[0]?.box.x0;
  return margin !== undefined && box.x0 < margin + 3 && (value[0]?.box.x0 ?? 0) > margin + 10;
};

/** "Malaria smear, thick | P. vivax" and right below it "and thin | ring forms": a name and its finding go on together. */
export function takeNameAndValue(reading: Reading, { parts, atoms, row }: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const [above, over] = [draft?.nameRows.at(-1)?.[0], draft?.value[0]];
  const [name, value] = [parts.name[0], parts.value[0]];
  if (!draft || !above || !over || !name || !value || reading.pending.length > 0) return false;
  const isWords = [over, value].every(({ kind }) => kind === 'text') && atoms.length === 2;
  const isSmall = [name, value].every(({ text }) => /^\p{Ll}{2}/u.test(text));
  const isAligned = Math.abs(name.box.x0 - above.box.x0) < 2 && Math.abs(value.box.x0 - over.box.x0) < 2;
  const isRightBelow = aboveGapOf(draft, row) < 0.5 * row.fontSize && draft.lastRow === draft.row;
  if (!isWords || !isSmall || !isAligned || !isRightBelow) return false;
  draft.nameRows.push(name.words.slice());
  draft.value.push(...parts.value);
  draft.lastRow = row;
  return true;
}

/**
 * What is said of a titer below it is no more of it, nor is a line that begins far before a result or has sentences,
 * nor one that begins like a sentence below a finding that says all: "Negative", and "Repeat testing in two weeks".
 */
function isRemarkBelow(value: readonly Atom[], below: Atom, atoms: readonly Atom[]): boolean {
  const above = value.at(-1);
  const line = textOfAtoms(atoms.slice(atoms.indexOf(below)));
  return (
    above !== undefined &&
    (qualityOf(above.text) === 'titer' ||
      (above.box.x0 - below.box.x0 > 20 && /\p{L}: |[.] \p{Lu}/u.test(below.text)) ||
      (qualityOf(textOfAtoms(value)) !== undefined && BEGINS_SENTENCE.test(line) && !isOfGrowth(line)))
  );
}

/** "SEROLOGY" below a finding that says all: set larger than it, or in capitals of another face. */
function isHeadingBelow(value: readonly Atom[], below: readonly Atom[]): boolean {
  const [word, own] = [below[0]?.words[0], value.at(-1)?.words.at(-1)];
  if (!word || !own || qualityOf(textOfAtoms(value)) === undefined) return false;
  const isOtherFace = word.font !== undefined && own.font !== undefined && word.font !== own.font;
  return (
    /^\P{Ll}*\p{Lu}{4}\P{Ll}*$/u.test(textOfAtoms(below)) &&
    (isOtherFace || word.fontSize > 1.05 * own.fontSize)
  );
}

/** "Growth", and below it what grew. */
const isOfGrowth = (text: string): boolean =>
  isOrganism(text.split(' ').slice(0, 2).join(' ')) ||
  /^(?:heavy|light|moderate|scanty?|few|many|mixed|rare|numerous|abundant\p{L}*|escas[ao]s?|moderad[ao]s?)\s/iu.test(
    text,
  );

/** A capital only where a sentence has one, and at least four words. */
const BEGINS_SENTENCE = /^\p{Lu}\p{Ll}+(?:\s\S+){3}/u;
