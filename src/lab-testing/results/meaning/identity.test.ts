import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExpectedResult } from '../../../adapters/lab-network/port.ts';
import { isOneThing, nameKey, Things } from './identity.ts';

const thing = fc.record({
  providerId: fc.constantFrom(null, '', ' ', 'a1', 'A1 ', 'b2', 'c3'),
  slug: fc.constantFrom('glucose', 'sodium', 'iron'),
});
const asExpected = (part: { providerId: string | null; slug: string }) => part as ExpectedResult;

describe('expected results', () => {
  it('are found among others just when one of them is the same thing', () => {
    fc.assert(
      fc.property(fc.array(thing, { maxLength: 6 }), thing, (others, one) => {
        const things = new Things(others.map(asExpected));
        expect(things.has(asExpected(one))).toBe(
          others.some((other) => isOneThing(asExpected(other), asExpected(one))),
        );
      }),
    );
  });

  it('are called the same however it is written, also long after', () => {
    for (let n = 0; n < 25_000; n += 1) nameKey(`Analyte ${n}`);
    expect(nameKey('Glucose, Fasting')).toBe(nameKey('glucose-fasting'));
  });
});
