import { beforeAll, describe, expect, it } from 'vitest';
import { type LoincIndex, openLoincIndex } from './coding.ts';
import { specimenOfName } from './specimens.ts';

let index: LoincIndex;
beforeAll(async () => {
  index = await openLoincIndex({ folder: new URL('../../../data/loinc/', import.meta.url) });
});

describe('what a sample was', () => {
  it.each(['albumin creatinine ratio', 'protein to creatinine ratio', 'microalbumina creatinina'])(
    'is urine where something is set against creatinine: %s',
    (name) => expect(specimenOfName(name)).toBe('urine'),
  );

  it.each(['bun creatinine ratio', 'albumin', 'albumin globulin ratio', 'proteina c reativa'])(
    'is not told by %s',
    (name) => expect(specimenOfName(name)).toBeNull(),
  );

  it('codes such a ratio below a panel of serum, which went on from the page before', () => {
    const [code] = index.codeLine({
      testName: 'Albumin/Creatinine Ratio',
      printedValue: '41',
      value: 41,
      unit: 'mg/g',
      panel: 'Chem panel',
      section: null,
      specimen: 'serum',
    }).matches;
    expect(code?.loinc_code).toBe('9318-7');
  });
});
