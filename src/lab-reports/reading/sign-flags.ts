import type { Role } from './assign.ts';
import type { Atom } from './atoms.ts';
import type { Column } from './columns.ts';
import { qualityOf } from './lexicon/qualities.ts';
import { unite } from './word.ts';

const IN_BRACKETS = /^\((?:[+-]{1,3}|[−–])\)$/u;

/** "++ (+)" and "Raised (+)" beside a range: a sign in brackets behind what was found is its flag, and is not the finding. */
export function takeSignBehind(parts: Record<Role, Atom[]>, atoms: readonly Atom[]): void {
  const [value, ...others] = parts.value;
  if (!value || others.length > 0 || value.kind !== 'flag') return;
  const [sign, ...words] = value.words.toReversed();
  if (!sign || !IN_BRACKETS.test(sign.text)) return;
  if (words.length > 0) {
    parts.value = [atomOf(value, words.toReversed())];
    parts.flag = [atomOf(value, [sign])];
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
 * "Leukocytes   ++   negative": pluses before a word for nothing are what was found, and the word is what is expected,
 * unless a heading says that the word is the result.
 */
export function takePluses(
  parts: Record<Role, Atom[]>,
  atoms: readonly Atom[],
  columns: readonly Column[],
): void {
  const [word, ...others] = parts.value;
  const [plus] = parts.flag;
  const name = parts.name.at(-1);
  if (!word || !plus || !name || others.length + parts.range.length > 0 || word.kind !== 'quality') return;
  const isBetween = name.segment < plus.segment && plus.segment < word.segment;
  const isHeaded = columns.some(
    ({ role, isLearned, x0, x1 }) => role === 'value' && !isLearned && word.box.x0 <= x1 && x0 <= word.box.x1,
  );
  if (!isBetween || isHeaded || !/^[+]{1,4}$/.test(plus.text) || qualityOf(word.text) !== 'absent') return;
  parts.value = [{ ...plus, kind: 'quality' }];
  parts.flag = atoms.filter((atom) => atom !== plus && parts.flag.includes(atom));
  parts.range = [word];
}

function atomOf(atom: Atom, words: Atom['words']): Atom {
  const kind = words.some(({ text }) => /\p{L}/u.test(text)) ? 'text' : 'flag';
  return {
    ...atom,
    kind,
    words,
    text: words.map(({ text }) => text).join(' '),
    box: unite(words.map(({ box }) => box)),
  };
}
