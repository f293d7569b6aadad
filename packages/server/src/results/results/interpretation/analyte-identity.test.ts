import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExpectedResult } from '../../../adapters/lab-network/port.ts';
import { isSameAnalyte, nameKey, AnalyteSet } from './analyte-identity.ts';

const thing = fc.record({
  providerId: fc.constantFrom(null, '', ' ', 'a1', 'A1 ', 'b2', 'c3'),
  slug: fc.constantFrom('glucose', 'sodium', 'iron'),
});
const asExpected = (part: { providerId: string | null; slug: string }) => part as ExpectedResult;

describe('expected results', () => {
  it('are found in a set exactly when it contains the same analyte', () => {
    fc.assert(
      fc.property(fc.array(thing, { maxLength: 6 }), thing, (others, one) => {
        const things = new AnalyteSet(others.map(asExpected));
        expect(things.has(asExpected(one))).toBe(
          others.some((other) => isSameAnalyte(asExpected(other), asExpected(one))),
        );
      }),
    );
  });

  it('have the same key in any spelling, also from the cache', () => {
    for (let n = 0; n < 25_000; n += 1) nameKey(`Analyte ${n}`);
    expect(nameKey('Glucose, Fasting')).toBe(nameKey('glucose-fasting'));
  });
});
