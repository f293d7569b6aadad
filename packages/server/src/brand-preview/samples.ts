import type { ReportedRow, ReportFacts } from '../documents/documents.ts';

/** Data of no person, for previews. */
export const SAMPLE_MAIL = {
  subject: 'Critical laboratory result: notification required',
  text: [
    'A laboratory has reported a critical result for one of your orders. This is a sample.',
    'Critical result:  00000000-0000-4000-8000-000000000000\nRead-back due:    2026-01-01 10:00 UTC',
    'This e-mail intentionally contains no patient data and no values, because e-mail is not secure.',
  ].join('\n\n'),
};

const REPORTED = new Date('2026-01-01T09:00:00Z');

const sampleRow = (
  row: Pick<ReportedRow, 'name' | 'result' | 'unit'> & Partial<ReportedRow>,
): ReportedRow => ({
  slug: 'sample',
  value: Number(row.result),
  type: 'numeric',
  timestamp: null,
  notes: null,
  reference_range: null,
  min_range_value: null,
  max_range_value: null,
  is_above_max_range: false,
  is_below_min_range: false,
  interpretation: 'normal',
  source_interpretation: 'normal',
  loinc: null,
  loinc_slug: null,
  provider_id: null,
  source_markers: null,
  performing_laboratory: null,
  source_sample_id: 'SAMPLE',
  ...row,
});

export const SAMPLE_REPORT: ReportFacts = {
  reference: 'Sample',
  patient: {
    first_name: 'Sample',
    last_name: 'Patient',
    dob: '1980-01-01',
    gender: 'other',
    phone_number: '',
  },
  laboratory: { name: 'Sample Laboratory', clia: null, director: null, address: '' },
  physician: { first_name: 'Sample', last_name: 'Physician', npi: '' },
  accountNumber: null,
  specimens: [{ id: 'SAMPLE', collectedAt: REPORTED, receivedAt: REPORTED, reportedAt: REPORTED }],
  status: 'final',
  version: 1,
  interpretation: 'abnormal',
  results: [
    sampleRow({ name: 'Glucose', result: '85', unit: 'mg/dL', reference_range: '70-99' }),
    sampleRow({ name: 'Hemoglobin A1c', result: '5.2', unit: '%', reference_range: '4.0-5.6' }),
    sampleRow({
      name: 'LDL cholesterol',
      result: '142',
      unit: 'mg/dL',
      reference_range: '0-99',
      is_above_max_range: true,
      interpretation: 'abnormal',
      source_interpretation: 'abnormal',
    }),
  ],
  missing: [],
  notes: [],
  earlier: new Map(),
  enclosed: [],
};
