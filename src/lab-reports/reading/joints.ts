import { bare } from './plain.ts';
import { SAYS_AGAIN } from './unit-systems.ts';

interface Read {
  readonly kind: string;
  readonly text: string;
}

/** "72,4 % soit 8,40 G/L": the word between two amounts of a line says nothing, and is no name of the second. */
export const withoutJoints = <A extends Read>(atoms: readonly A[]): A[] =>
  atoms.filter((_, index) => !isJoint(atoms, index));

function isJoint(atoms: readonly Read[], index: number): boolean {
  const [amount, unit, joint, number, otherUnit] = atoms.slice(Math.max(0, index - 2), index + 3);
  return (
    index > 1 &&
    joint?.kind === 'text' &&
    SAYS_AGAIN.test(bare(joint.text)) &&
    [amount, number].every((atom) => atom?.kind === 'number') &&
    [unit, otherUnit].every((atom) => atom?.kind === 'unit')
  );
}
