import { beforeAll, describe, expect, it } from 'vitest';
import { type LoincIndex, openLoincIndex } from './coding.ts';
import { specimenOfName } from './specimens.ts';

let index: LoincIndex;
beforeAll(async () => {
  index = await openLoincIndex({ folder: new URL('../../data/loinc/', import.meta.url) });
});

describe('the specimen', () => {
  it.each(['albumin creatinine ratio', 'protein to creatinine ratio', 'microalbumina creatinina'])(
    'is urine for a ratio to creatinine: %s',
    (name) => expect(specimenOfName(name)).toBe('urine'),
  );

  it.each(['bun creatinine ratio', 'albumin', 'albumin globulin ratio', 'proteina c reativa'])(
    'does not follow from %s',
    (name) => expect(specimenOfName(name)).toBeNull(),
  );

  it('is urine for such a ratio even below a serum panel that continues from the previous page', () => {
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
