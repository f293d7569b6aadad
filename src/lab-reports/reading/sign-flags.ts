import type { Role } from './assign.ts';
import type { Atom } from './atoms.ts';
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
