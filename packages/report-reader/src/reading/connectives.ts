import { normalizeWords } from './text-normalization.ts';
import { EQUIVALENCE_PHRASE } from './unit-systems.ts';

interface ConnectiveAtom {
  readonly kind: string;
  readonly text: string;
}

/** "72,4 % soit 8,40 G/L": the word between two amounts has no meaning and is not the name of the second. */
export const withoutConnectives = <A extends ConnectiveAtom>(atoms: readonly A[]): A[] =>
  atoms.filter((_, index) => !isConnective(atoms, index));

function isConnective(atoms: readonly ConnectiveAtom[], index: number): boolean {
  const [amount, unit, joint, number, otherUnit] = atoms.slice(Math.max(0, index - 2), index + 3);
  return (
    index > 1 &&
    joint?.kind === 'text' &&
    EQUIVALENCE_PHRASE.test(normalizeWords(joint.text)) &&
    [amount, number].every((atom) => atom?.kind === 'number') &&
    [unit, otherUnit].every((atom) => atom?.kind === 'unit')
  );
}
