import type { Atom } from './atoms.ts';
import { measureGapTo, type ReportColumn } from './columns.ts';
import { type ReportWord, uniteBoxes } from './report-model.ts';

/** Merges the bounds of a range that have separate columns into one range atom. */
export function mergeBoundColumns(atoms: readonly Atom[], columns: readonly ReportColumn[]): readonly Atom[] {
  const [min, max] = (['min', 'max'] as const).map((bound) =>
    atoms.find((atom) => atom.kind === 'number' && findNearestColumn(atom, columns)?.bound === bound),
  );
  const last = max ?? min;
  if (!last) return atoms;
  return atoms.flatMap((atom) => {
    if (atom === last) return [buildRange(min, max, last)];
    return atom === min ? [] : [atom];
  });
}

const findNearestColumn = ({ box }: Atom, columns: readonly ReportColumn[]): ReportColumn | undefined =>
  columns.find(
    (column) => measureGapTo(column, box) === Math.min(...columns.map((other) => measureGapTo(other, box))),
  );

/** The range as it would be printed in one cell, at the position of its last bound. */
function buildRange(min: Atom | undefined, max: Atom | undefined, last: Atom): Atom {
  const [word] = last.words;
  const sign = (text: string): ReportWord[] => (word ? [{ ...word, text }] : []);
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
    box: uniteBoxes([last.box]),
  };
}
