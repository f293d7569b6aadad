import { describe, expect, it } from 'vitest';
import { readReports } from '../../../adapters/lab-network/hl7/read-report.ts';
import { RESULT_STATUSES } from '../../../adapters/lab-network/hl7/result-status.ts';
import type { ExpectedResult } from '../../../adapters/lab-network/port.ts';
import { interpretReport } from './interpretation.ts';

/** Whether a line is a result, by its status in OBX-11 and by what stands in the place of its value. */

const at = {
  lab: 'labcorp',
  accountNumber: null,
  timeZone: 'UTC',
  arrivedAt: new Date('2026-03-02T15:00:00Z'),
};
// prettier-ignore
const GLUCOSE: ExpectedResult = {
  name: 'Glucose', slug: 'glucose', loinc: '2345-7', loincSlug: null, providerId: 'G1', unit: 'mg/dL', kind: 'numeric', decimals: 0,
  low: null, high: null, rangeText: null, criticalLow: null, criticalHigh: null, normalText: null, abnormalText: null,
};
const PANEL = { markerId: 1, providerId: '100', name: 'Panel', slug: 'panel', expected: [GLUCOSE] };

/** The glucose of a final panel as it is shown, with the status of its report. */
function read(
  value: string,
  {
    status,
    type = 'NM',
    test = 'F',
    note = '',
  }: { status: string; type?: string; test?: string; note?: string },
) {
  const text = [
    'MSH|^~\\&|LIS|LAB|US|HERE|20260302150000-0500||ORU^R01^ORU_R01|M1|P|2.5.1',
    `OBR|1|PLACER|FILLER|100^Panel^L|||202603010800|||||||20260301||||||||20260302|||${test}`,
    `OBX|1|${type}|G1^Glucose^L||${value}|mg/dL|70-99||||${status}`,
    ...(note === '' ? [] : [`NTE|1|L|${note}`]),
  ].join('\r');
  const [report] = readReports(Buffer.from(text), at);
  if (!report) throw new Error('No report');
  const { results, missing, notes = [] } = interpretReport(report, [PANEL], { dob: null, gender: null });
  const shown = results.map((one) =>
    [one.result, one.status, ...(one.notes === null ? [] : [one.notes])].join(' / '),
  );
  return {
    report: report.status,
    shown,
    missing: missing.map((one) => `${one.failureType}: ${one.note}`),
    notes,
  };
}

describe('a status of table 0085', () => {
  const PENDING = 'The laboratory marks this value as pending';
  const NOT_ASKED = 'The laboratory marks this value as not asked for';
  // prettier-ignore
  const EXPECTED: Readonly<Record<string, [report: string, withValue: string[], empty: 'missing' | 'pending', remark?: string]>> = {
    A: ['corrected', ['105 / corrected'],                'missing'],
    B: ['final',     ['105 / final'],                    'missing'],
    C: ['corrected', ['105 / corrected'],                'missing'],
    D: ['final',     [],                                 'missing'],
    F: ['final',     ['105 / final'],                    'missing'],
    I: ['partial',   [`105 / preliminary / ${PENDING}`], 'pending'],
    N: ['final',     [`105 / preliminary / ${NOT_ASKED}`], 'missing'],
    O: ['final',     [],                                 'missing', 'Glucose: 105 mg/dL'],
    P: ['partial',   ['105 / preliminary'],              'pending'],
    R: ['partial',   ['105 / preliminary'],              'pending'],
    S: ['partial',   ['105 / preliminary'],              'pending'],
    U: ['final',     ['105 / final'],                    'missing'],
    V: ['final',     ['105 / final'],                    'missing'],
    W: ['final',     [],                                 'missing'],
    X: ['final',     [],                                 'missing'],
  };

  it('has a meaning here', () => expect(Object.keys(EXPECTED)).toEqual(Object.keys(RESULT_STATUSES)));

  it.each(Object.keys(RESULT_STATUSES))('%s says what its value is', (status) => {
    const [report, shown, empty, remark] = EXPECTED[status] ?? [];
    const withValue = read('105', { status, test: '' });
    expect([withValue.report, withValue.shown, withValue.notes]).toEqual([
      report,
      shown,
      remark ? [remark] : [],
    ]);
    const without = read('', { status, test: '' });
    expect([without.report, without.shown, without.missing.length]).toEqual([
      report,
      [],
      empty === 'pending' ? 0 : 1,
    ]);
  });

  it('is read in small letters', () =>
    expect(read('105', { status: 'p', test: '' }).shown).toEqual(['105 / preliminary']));

  it('that is unknown is that of the test, with a note', () =>
    expect(read('105', { status: 'Q' }).shown).toEqual([
      '105 / final / Unknown result status of the laboratory: Q',
    ]));
});

describe('an announced result', () => {
  // prettier-ignore
  it.each([
    'PENDING', 'Pending.', 'pend', '*PENDING*', 'Result pending', 'Results Pending', 'Final results to follow', 'Culture in progress', 'In Process', 'To follow',
    'Testing in progress', 'Specimen received in lab', 'Results are pending', 'Not yet available', 'Awaiting results', 'Pending review', 'Sent to reference laboratory',
  ])('%j is no result, whatever its status', (text) => {
    for (const status of ['I', 'P', 'S', 'F', '']) {
      expect([status, read(text, { status, type: 'ST' })]).toEqual([status, { report: 'partial', shown: [], missing: [], notes: [] }]);
    }
  });

  it.each(['See note', 'SEE COMMENT', '---', 'N/A', 'See separate report'])(
    '%j is no result where the status says that it is pending',
    (text) => {
      expect(read(text, { status: 'I', type: 'ST' })).toEqual({
        report: 'partial',
        shown: [],
        missing: [],
        notes: [],
      });
      expect(read(text, { status: 'F', type: 'ST' }).report).toBe('final');
    },
  );

  it('has its note among the remarks of the report', () =>
    expect(read('Pending', { status: 'I', type: 'ST', note: 'Sent to Mayo' }).notes).toEqual([
      'Glucose (pending): Sent to Mayo',
    ]));

  it.each(['No growth to date', 'Negative', '1:160', 'Pending confirmation: positive'])(
    '%j is shown with its status',
    (text) =>
      expect(read(text, { status: 'I', type: 'ST' }).shown).toEqual([
        `${text} / preliminary / The laboratory marks this value as pending`,
      ]),
  );

  it('is missing where the laboratory says that it was not tested', () => {
    for (const status of ['P', 'F', 'X']) {
      const { shown, missing } = read('Test not performed', { status, type: 'ST' });
      expect([status, shown, missing]).toEqual([status, [], ['unknown_failure: Test not performed']]);
    }
  });

  it('is missing where it was not asked for', () => {
    for (const value of ['', 'N/A', '""'])
      expect(read(value, { status: 'N', type: 'ST' })).toMatchObject({
        shown: [],
        missing: ['non_failure: Not asked for: no further testing'],
      });
  });
});
