import type { Atom } from './atoms.ts';
import { gapTo, type Column } from './columns.ts';
import { type Word, unite } from './word.ts';

/** The pieces of a line, where the bounds of a range have columns of their own: both become one range. */
export function withRange(atoms: readonly Atom[], columns: readonly Column[]): readonly Atom[] {
  const [min, max] = (['min', 'max'] as const).map((bound) =>
    atoms.find((atom) => atom.kind === 'number' && nearestOf(atom, columns)?.bound === bound),
  );
  const last = max ?? min;
  if (!last) return atoms;
  return atoms.flatMap((atom) => {
    if (atom === last) return [rangeOf(min, max, last)];
    return atom === min ? [] : [atom];
  });
}

const nearestOf = ({ box }: Atom, columns: readonly Column[]): Column | undefined =>
  columns.find((column) => gapTo(column, box) === Math.min(...columns.map((other) => gapTo(other, box))));

/** As it would be printed in one cell; it stands where its last bound does. */
function rangeOf(min: Atom | undefined, max: Atom | undefined, last: Atom): Atom {
  const [word] = last.words;
  const sign = (text: string): Word[] => (word ? [{ ...word, text }] : []);
  const words = [
    ...(min ? min.words : sign('<=')),
    ...(min && max ? sign('-') : []),
    ...(max ? max.words : []),
  ];
  const whole = max ? words : [...sign('>='), ...words];
  return {
    ...last,
    kind: 'range',
    words: whole,
    text: whole.map(({ text }) => text).join(' '),
    box: unite([last.box]),
  };
}
