import { isPower } from './numbers.ts';
import { isUnit } from './units.ts';
import { type BoundingBox, type ReportWord, uniteBoxes } from './report-model.ts';

/** The part of an atom that is used here. */
interface PowerAtom {
  readonly kind: string;
  readonly text: string;
  readonly words: readonly ReportWord[];
  readonly box: BoundingBox;
  readonly segment: number;
}

/** "x 10*6" is at most two words, as one atom or two. */
const MOST_PIECES = 2;

/**
 * "1,84 x 10*6   UI/mL": the power belongs to the number if a separate unit follows that has none itself. If only the
 * power follows, as in "1,9 x10⁶" or "5.2 x10^9 /L", it belongs to the unit.
 */
export function withPowers<T extends PowerAtom>(atoms: readonly T[]): T[] {
  const joined: T[] = [];
  for (let at = 0; at < atoms.length; at += 1) {
    const atom = atoms[at];
    if (!atom) continue;
    const count = atom.kind === 'number' || atom.kind === 'compared' ? powerLength(atoms, at) : 0;
    joined.push(count > 0 ? mergeAtoms(atom, atoms.slice(at + 1, at + 1 + count)) : atom);
    at += count;
  }
  return joined;
}

/** How many atoms after a number are its power; 0 for none. */
function powerLength(atoms: readonly PowerAtom[], at: number): number {
  for (let count = 1; count <= MOST_PIECES; count += 1) {
    const pieces = atoms.slice(at + 1, at + 1 + count);
    const power = pieces.map(({ text }) => text).join(' ');
    const isOne = pieces.every(({ segment }) => segment === atoms[at]?.segment);
    if (!isOne || !isPower(power)) continue;
    const unit = atoms.slice(at + 1 + count).find(({ kind }) => kind === 'unit')?.text;
    const isOfUnit = unit === undefined ? isUnit(power) : /^\/|10/.test(unit);
    return isOfUnit ? 0 : count;
  }
  return 0;
}

const mergeAtoms = <T extends PowerAtom>(atom: T, pieces: readonly T[]): T => {
  const all = [atom, ...pieces];
  return {
    ...atom,
    text: all.map(({ text }) => text).join(' '),
    words: all.flatMap(({ words }) => words),
    box: uniteBoxes(all.map(({ box }) => box)),
  };
};
