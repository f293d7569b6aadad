import type { FieldRole } from './assign-roles.ts';
import type { Atom } from './atoms.ts';
import type { ReportColumn } from './columns.ts';
import { parseQualitative } from './lexicon/qualitative-results.ts';
import { uniteBoxes } from './report-model.ts';

const IN_BRACKETS = /^\((?:[+-]{1,3}|[−–])\)$/u;

/** "++ (+)" and "Raised (+)" with a range: a sign in brackets after the finding is its flag. */
export function takeTrailingSign(parts: Record<FieldRole, Atom[]>, atoms: readonly Atom[]): void {
  const [value, ...others] = parts.value;
  if (!value || others.length > 0 || value.kind !== 'flag') return;
  const [sign, ...words] = value.words.toReversed();
  if (!sign || !IN_BRACKETS.test(sign.text)) return;
  if (words.length > 0) {
    parts.value = [buildAtom(value, words.toReversed())];
    parts.flag = [buildAtom(value, [sign])];
    return;
  }
  const found = atoms[atoms.indexOf(value) - 1];
  const isFound =
    found?.segment === value.segment && /^[+]{1,4}$/.test(found.text) && parts.flag.includes(found);
  if (!isFound) return;
  parts.value = [{ ...found, kind: 'quality' }];
  parts.flag = [value];
}

/**
 * "Leukocytes   ++   negative": pluses before a negative word are the finding, and the word is the expected value,
 * unless a heading makes the word the result.
 */
export function takePlusFinding(
  parts: Record<FieldRole, Atom[]>,
  atoms: readonly Atom[],
  columns: readonly ReportColumn[],
): void {
  const [word, ...others] = parts.value;
  const [plus] = parts.flag;
  const name = parts.name.at(-1);
  if (!word || !plus || !name || others.length + parts.range.length > 0 || word.kind !== 'quality') return;
  const isBetween = name.segment < plus.segment && plus.segment < word.segment;
  const isHeaded = columns.some(
    ({ role, isLearned, x0, x1 }) => role === 'value' && !isLearned && word.box.x0 <= x1 && x0 <= word.box.x1,
  );
  if (!isBetween || isHeaded || !/^[+]{1,4}$/.test(plus.text) || parseQualitative(word.text) !== 'absent')
    return;
  parts.value = [{ ...plus, kind: 'quality' }];
  parts.flag = atoms.filter((atom) => atom !== plus && parts.flag.includes(atom));
  parts.range = [word];
}

function buildAtom(atom: Atom, words: Atom['words']): Atom {
  const kind = words.some(({ text }) => /\p{L}/u.test(text)) ? 'text' : 'flag';
  return {
    ...atom,
    kind,
    words,
    text: words.map(({ text }) => text).join(' '),
    box: uniteBoxes(words.map(({ box }) => box)),
  };
}
