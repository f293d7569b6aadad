import { beforeAll, expect, it } from 'vitest';
import { loadPdfLibraries } from '../platform/pdf/libraries.ts';
import { measureText } from '../platform/pdf/measure.ts';
import { layOutDocument } from '../platform/pdf/document.ts';
import { COLLECTION_METHODS, SampleType } from '../ordering/catalog/schema.ts';
import { buildInstructions } from './instructions.ts';
import { buildSpecimenLabels } from './labels.ts';
import type { DocumentFacts } from './document-facts.ts';

beforeAll(loadPdfLibraries);

/** The facts that a label looks at. */
function factsWith(name: string, sampleId: string): DocumentFacts {
  const patient = { first_name: name, last_name: name, dob: '1985-12-10', gender: 'female' };
  const facts = {
    order: {
      id: '01900000-0000-7000-8000-000000000000',
      sample_id: sampleId,
      created_at: new Date('2026-03-02T15:00:00Z'),
      private: { patient },
    },
    test: { lab: { name: 'A laboratory with quite a long name for a label' } },
    account: { providerAccountId: 'SANDBOX-001' },
  };
  return facts as unknown as DocumentFacts;
}

it.each([
  ['Ada', 'LA1234567890'],
  [
    'Maximiliana-Wilhelmina-Charlotte-Augusta-Alexandra',
    'A-SPECIMEN-ID-THAT-IS-LONGER-THAN-A-LABEL-IS-WIDE-0123456789',
  ],
])('a label of %s, %s stays inside of its stock', (name, sampleId) => {
  const { pages, width, height } = buildSpecimenLabels(factsWith(name, sampleId), {
    count: 2,
    collectedAt: '2026-03-02T09:30:00-08:00',
  });
  for (const mark of pages.flat()) {
    const right = mark.x + (mark.kind === 'text' ? measureText(mark.text, mark) : mark.width);
    expect(mark.x).toBeGreaterThanOrEqual(5);
    expect(right).toBeLessThanOrEqual(width - 5);
    expect(mark.y).toBeLessThanOrEqual(height - 4);
  }
});

it('has a barcode only if scanners can read it', () => {
  const barsOn = (sampleId: string) =>
    buildSpecimenLabels(factsWith('Ada', sampleId), { count: 1, collectedAt: '2026-03-02T09:30:00Z' })
      .pages.flat()
      .flatMap((mark) => (mark.kind === 'bars' ? [mark.width / mark.symbol.width] : []));
  expect(barsOn('LA1234567890')).toHaveLength(2);
  for (const modulePoints of barsOn('LA1234567890')) expect(modulePoints).toBeGreaterThanOrEqual(0.54);
  // The square alone.
  expect(barsOn('A-SPECIMEN-ID-THAT-IS-LONGER-THAN-A-LABEL-IS-WIDE')).toHaveLength(1);
});

it.each(COLLECTION_METHODS.flatMap((method) => SampleType.options.map((type) => [method, type] as const)))(
  'instructions for %s of %s take two pages at most',
  (method, type) => {
    const { pages } = layOutDocument(
      buildInstructions({
        reference: 'Order 1',
        createdAt: new Date('2026-03-02T15:00:00Z'),
        test: { name: 'A lab test', method, sample_type: type, fasting: true, lab: null, markers: null },
        sender: { name: 'A clinic', contact: 'help@clinic.example' },
        patient: { first_name: 'Ada', last_name: 'Lovelace' },
        sampleId: null,
      }),
    );
    expect(pages.length).toBeLessThanOrEqual(2);
    const text = pages.flat().flatMap((mark) => (mark.kind === 'text' ? [mark.text] : []));
    expect(text).toContain('Ask A clinic, help@clinic.example.');
  },
);
