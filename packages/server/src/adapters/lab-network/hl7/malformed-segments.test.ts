import { describe, expect, it } from 'vitest';
import type { ReportReadContext } from '../protocol.ts';
import { readReports } from './read-report.ts';
import { removeReports } from './remove-reports.ts';

const at: ReportReadContext = {
  lab: 'labcorp',
  accountNumber: null,
  timeZone: 'UTC',
  arrivedAt: new Date('2026-03-02T15:00:00Z'),
};
const MSH = 'MSH|^~\\&|LIS|LAB|US|HERE|20260302150000-0500||ORU^R01^ORU_R01|M1|P|2.5.1';
const PID = 'PID|1||77||Lovelace^Ada||19851210|F';
const OBR = 'OBR|1|PLACER|FILLER|100^Panel^L|||202603010800|||||||||||||||20260302|||F';
const GLUCOSE = 'OBX|1|NM|G1^Glucose||105|mg/dL|70-99|H|||F';
const SODIUM = 'OBX|2|NM|N1^Sodium||140|mmol/L|135-145||||F';
const bytesOf = (...lines: string[]) => Buffer.from([MSH, ...lines].join('\r'));
const read = (...lines: string[]) => readReports(bytesOf(...lines), at);

describe('a malformed segment', () => {
  it.each([
    ['a line without a name', 'and more text', /line of the message.*and more text/],
    ['a line of delimiters', '||||', /line of the message/],
    ['a segment of too many fields', `OBX${'|'.repeat(1000)}`, /400 fields.*OBX/],
  ])('%s is a note of what is before it, and the rest is read', (_what, line, note) => {
    const [report] = read(PID, OBR, GLUCOSE, line, SODIUM);
    expect(report?.observations).toMatchObject([
      { code: 'G1', value: '105', notes: [expect.stringMatching(note)] },
      { code: 'N1', value: '140', notes: [] },
    ]);
  });

  it('withholds the number that it cut in two', () => {
    const [report] = read(PID, OBR, 'OBX|1|NM|G1^Glucose||10', '5|mg/dL|70-99|H|||F', SODIUM);
    expect(report?.observations).toMatchObject([
      { code: 'G1', value: null, notes: [expect.stringMatching(/5\|mg\/dL/)] },
      { code: 'N1', value: '140' },
    ]);
  });

  it('keeps the text that it cut in two, with its rest', () => {
    const [report] = read(PID, OBR, 'OBX|1|TX|C1^Comment||No growth', 'after 48 hours||||||F', SODIUM);
    expect(report?.observations).toMatchObject([
      { code: 'C1', value: 'No growth', notes: [expect.stringMatching(/after 48 hours/)] },
      { code: 'N1' },
    ]);
  });

  it('in the place of an OBR does not give its results to another test', () => {
    const [report] = read(PID, 'ORC|RE|PLACER', OBR, GLUCOSE, 'ORC|RE|PLACER', '0BR|2||X|200^Other', SODIUM);
    expect(report?.observations).toMatchObject([
      { code: 'G1', test: { code: '100' } },
      { code: 'N1', test: { code: null } },
    ]);
    const [alone] = read(PID, 'ORC|RE|PLACER', '0BR|1||X|200^Other', SODIUM);
    expect(alone).toMatchObject({ placerOrderId: 'PLACER', observations: [{ code: 'N1' }] });
  });

  it('in the place of a PID does not give its results to the patient before it', () => {
    const reports = read(PID, OBR, GLUCOSE, 'P|2||78||Doe^Jane||19900101|F', OBR, SODIUM);
    expect(reports).toMatchObject([
      { patient: { lastName: 'Lovelace' }, observations: [{ code: 'G1' }] },
      { patient: null, observations: [{ code: 'N1' }] },
    ]);
  });

  it('before the patient is a note on the report', () => {
    const [report] = read('garbage', PID, OBR, GLUCOSE);
    expect(report).toMatchObject({
      patient: { lastName: 'Lovelace' },
      notes: [expect.stringMatching(/line of the message.*garbage/)],
    });
  });

  it('goes with the report that is removed', () => {
    const other = OBR.replace('PLACER', 'OTHER');
    const bytes = bytesOf(PID, OBR, GLUCOSE, 'and more', other, SODIUM);
    const rest = removeReports(bytes, at, ({ placerOrderId }) => placerOrderId === 'PLACER');
    expect(rest?.toString()).toBe(bytesOf(PID, other, SODIUM).toString());
  });

  it('is read under a name in small letters or after blanks', () => {
    const [report] = read('pid|1||77||Lovelace^Ada', `  ${OBR}`, GLUCOSE);
    expect(report).toMatchObject({ patient: { lastName: 'Lovelace' }, observations: [{ notes: [] }] });
  });

  it('is refused if nothing can be read beside it', () => {
    expect(() => read(PID, 'garbage')).toThrow(/Expected an OBR/);
  });
});
