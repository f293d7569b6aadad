import { isPower } from './numbers.ts';
import { isUnit } from './units.ts';
import { type Box, type Word, unite } from './word.ts';

/** As much of an atom as is looked at here. */
interface Piece {
  readonly kind: string;
  readonly text: string;
  readonly words: readonly Word[];
  readonly box: Box;
  readonly segment: number;
}

/** "x 10*6" are two words at most, each a piece of its own or both one. */
const MOST_PIECES = 2;

/**
 * "1,84 x 10*6   UI/mL": the power belongs to the number where the unit stands apart and has none itself. Where only
 * the power follows, as in "1,9 x10⁶" of what is counted whole, it is the unit, as it is in "5.2 x10^9 /L".
 */
export function withPowers<T extends Piece>(atoms: readonly T[]): T[] {
  const joined: T[] = [];
  for (let at = 0; at < atoms.length; at += 1) {
    const atom = atoms[at];
    if (!atom) continue;
    const count = atom.kind === 'number' || atom.kind === 'compared' ? powerLength(atoms, at) : 0;
    joined.push(count > 0 ? merged(atom, atoms.slice(at + 1, at + 1 + count)) : atom);
    at += count;
  }
  return joined;
}

/** How many pieces behind a number are its power; 0 for none. */
function powerLength(atoms: readonly Piece[], at: number): number {
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

const merged = <T extends Piece>(atom: T, pieces: readonly T[]): T => {
  const all = [atom, ...pieces];
  return {
    ...atom,
    text: all.map(({ text }) => text).join(' '),
    words: all.flatMap(({ words }) => words),
    box: unite(all.map(({ box }) => box)),
  };
};
