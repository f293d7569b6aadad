import { describe, expect, it } from 'vitest';
import { LINEAR_MAX, measureGrowth } from '../../../test/growth.ts';
import { readReports } from '../../adapters/lab-network/hl7/read-report.ts';
import type { ReceivedReport } from '../../adapters/lab-network/port.ts';
import { mergeReports } from './merge-reports.ts';
import { deserializeReport, serializeReport } from './report-serialization.ts';

const at = {
  lab: 'labcorp',
  accountNumber: null,
  timeZone: 'UTC',
  arrivedAt: new Date('2026-03-09T12:00:00Z'),
};

interface DrawnObservationFields {
  /** OBR-7 and OBR-14; the first by its hour on March 1st, the second unless told otherwise not at all. */
  readonly drawn?: string;
  readonly received?: string;
  readonly filler?: string;
  readonly specimen?: string;
  /** OBR-25. */
  readonly status?: string;
}

/** `90 F 9#1 C` each: value, OBX-11, the hour of OBX-14, OBX-4; words and numbers. */
function test(
  { drawn = '', received = '', filler = '', specimen, status = '' }: DrawnObservationFields,
  ...said: string[]
) {
  const obr = `OBR|1|PLACER|${filler}|GTT^Glucose tolerance^L|||${drawn}|||||||${received}||||||||||LAB|${status}`;
  const results = said.map((one) => {
    const [, value = '', state = '', time, subId = ''] =
      /^(\S*) ([A-Z])(?: (\d+))?(?:#(\S+))?$/.exec(one) ?? [];
    const type = /^\d*$/.test(value) ? 'NM' : 'CWE';
    const moment = time === undefined ? '' : `202603${time.padStart(2, '0').padStart(4, '01')}00`;
    return `OBX|1|${type}|GLU^Glucose^L|${subId}|${type === 'CWE' ? `^${value}` : value}|mg/dL|||||${state}|||${moment}`;
  });
  return [obr, ...results, ...(specimen === undefined ? [] : [`SPM|1|${specimen}`])];
}

/** The message of a day in March. */
function report(day: number, ...tests: string[][]): ReceivedReport {
  const msh = `MSH|^~\\&|LIS|LAB|US|HERE|202603${String(day).padStart(2, '0')}120000||ORU^R01|M${day}|P|2.5.1`;
  const [read] = readReports(Buffer.from([msh, ...tests.flat()].join('\r')), at);
  if (!read) throw new Error('Nothing was read');
  return deserializeReport(serializeReport(read));
}

function values(...reports: readonly ReceivedReport[]): string {
  const { observations } = mergeReports(reports.slice(0, -1), reports.at(-1) ?? report(1));
  return observations
    .map(({ value, status }) => (value ?? '') + (status === 'final' ? '' : ` ${status}`))
    .join(', ');
}

const drawnAt = (hour: number, change: DrawnObservationFields = {}): DrawnObservationFields => ({
  drawn: `20260301${String(hour).padStart(2, '0')}00`,
  ...change,
});

describe('one measurement of several draws', () => {
  // prettier-ignore
  it.each<[string, string[], string[], string]>([
    ['drawn at two times are two',                    test(drawnAt(8), '90 F'),                     test(drawnAt(9), '150 F'),                     '90, 150'],
    ['observed at two times of one request are two',  test(drawnAt(8), '90 F 8'),                   test(drawnAt(8), '150 F 9'),                   '90, 150'],
    ['of two days are two',                           test({ drawn: '20260301' }, 'Negative F'),    test({ drawn: '20260302' }, 'Positive F'),     'Negative, Positive'],
    ['of two specimens are two',                      test(drawnAt(8, { specimen: 'A' }), 'Staph F'), test(drawnAt(8, { specimen: 'B' }), 'None F'), 'Staph, None'],
    ['of two requests of one moment are two',         test(drawnAt(8, { filler: 'A' }), 'Staph F'), test(drawnAt(8, { filler: 'B' }), 'None F'),   'Staph, None'],
    ['drawn at two times and alike are two',          test(drawnAt(8), '90 F'),                     test(drawnAt(9), '90 F'),                      '90, 90'],
    ['under one number are two of two requests',      test(drawnAt(8), '90 F#1'),                   test(drawnAt(9), '150 F#1'),                   '90, 150'],
    ['are two where the later is preliminary',        test(drawnAt(8), '90 F'),                     test(drawnAt(9), '150 P'),                     '90, 150 preliminary'],
    ['are two where the first is preliminary',        test(drawnAt(8), '90 P'),                     test(drawnAt(9), '150 F'),                     '90 preliminary, 150'],
    ['that was not done leaves the other alone',      test(drawnAt(8), '90 F'),                     test(drawnAt(9), ' X'),                        '90,  cancelled'],
    ['that was not done in one request, neither',     test(drawnAt(8), '90 F 8'),                   test(drawnAt(8), ' X 9'),                      '90,  cancelled'],
  ])('%s', (_what, first, second, wanted) => {
    const reports = [report(2, first), report(3, second)];
    expect(values(...reports)).toBe(wanted);
    expect(values(...reports.toReversed())).toBe(wanted);
  });

  const three = [drawnAt(8), drawnAt(9), drawnAt(10)];
  const whole = (...said: string[]) => three.flatMap((one, index) => test(one, said[index] ?? ''));

  it('stand in one report each for itself, and however often they are told', () => {
    expect(values(report(2, whole('90 F', '150 F', '120 F')))).toBe('90, 150, 120');
    const again = [2, 3, 4].map((day) => report(day, whole('90 F', '150 F', '120 F')));
    expect(values(...again)).toBe('90, 150, 120');
  });

  it('become final one after the other', () => {
    const first = report(2, whole('90 F', '150 P', ' P'));
    expect(values(first, report(3, test(drawnAt(9), '152 F')))).toBe('90, 152,  preliminary');
    expect(values(first, report(3, test(drawnAt(9), '152 F')), report(4, test(drawnAt(10), '121 F')))).toBe(
      '90, 152, 121',
    );
  });

  it('may come in another order than they were drawn', () => {
    expect(
      values(
        report(2, test(drawnAt(10), '120 F')),
        report(3, test(drawnAt(8), '90 F'), test(drawnAt(9), '150 F')),
      ),
    ).toBe('120, 90, 150');
  });
});

describe('a measurement that is told again', () => {
  const known = report(2, test(drawnAt(8), '90 F'), test(drawnAt(9), '150 F'));
  // prettier-ignore
  it.each<[string, string[], string]>([
    ['is put right where it was drawn when it was',           test(drawnAt(9), '155 C'),          '90, 155 corrected'],
    ['is put right also where it does not say so',            test(drawnAt(9), '155 F'),          '90, 155'],
    ['is taken back',                                         test(drawnAt(9), '150 X'),          '90, 150 cancelled'],
    ['stands beside two of which it may be either',           test({}, '155 C'),                  '90, 150, 155 corrected'],
    ['is not undone by a preliminary one',                    test(drawnAt(9), '149 P'),          '90, 150'],
  ])('%s', (_what, told, wanted) => expect(values(known, report(3, told))).toBe(wanted));

  // prettier-ignore
  it.each<[string, string[], string[], string]>([
    ['a correction that also corrects when it was drawn',     test(drawnAt(8), '90 F'),           test(drawnAt(7), '95 C'),           '95 corrected'],
    ['a correction that does not say when',                   test(drawnAt(8), '90 F'),           test({}, '95 C'),                   '95 corrected'],
    ['a correction to the hour of what was told to the day',  test({ drawn: '20260301' }, '90 F'), test(drawnAt(8), '95 C'),          '95 corrected'],
    ['what was told to the day',                              test({ drawn: '20260301' }, '90 F'), test(drawnAt(8), '95 F'),          '95'],
    ['what was told without a specimen',                      test(drawnAt(8), '90 F'),           test(drawnAt(8, { specimen: 'A' }), '95 F'), '95'],
    ['a finding that grew',                                   test(drawnAt(8), 'Gramneg P 8'),    test(drawnAt(8), 'Ecoli F 11'),     'Ecoli'],
    ['a value that is taken back later',                      test(drawnAt(8), '90 F 8'),         test(drawnAt(8), '90 X 11'),        '90 cancelled'],
    ['a value at the time of its analysis',                   test(drawnAt(8, { received: '202603011000' }), '90 F 11'), test(drawnAt(8, { received: '202603011000' }), '90 F 12'), '90'],
    ['a value that became final at the time of its analysis', test(drawnAt(8, { received: '202603011000' }), '90 P 11'), test(drawnAt(8, { received: '202603011000' }), '95 F 12'), '95'],
    ['a value taken back at the time of that',                test(drawnAt(8, { received: '202603011000' }), '90 F 11'), test(drawnAt(8, { received: '202603011000' }), ' X 12'), ' cancelled'],
    ['a correction at the time of that',                      test(drawnAt(8, { received: '202603011000' }), '90 F 11'), test(drawnAt(8, { received: '202603011000' }), '95 C 12'), '95 corrected'],
    ['one of several by its number, whenever observed',       test(drawnAt(8), '90 F 8#1', '91 F 8#2'), test(drawnAt(8), '95 F 9#2'), '90, 95'],
  ])('is %s', (_what, first, second, wanted) => {
    expect(values(report(2, first), report(3, second))).toBe(wanted);
  });

  it('is compared with what was kept before draws were told apart', () => {
    const old = report(2, test(drawnAt(8), '90 F'));
    const kept = { ...old, observations: old.observations.map(({ origin: _none, ...one }) => one) };
    expect(values(kept, report(3, test(drawnAt(8, { filler: 'A' }), '95 F')))).toBe('95');
    expect(values(kept, report(3, test(drawnAt(9, { filler: 'A' }), '150 F')))).toBe('90, 150');
  });
});

describe('an addendum that comes without the text that it adds to', () => {
  const lines = (...said: string[]) => [
    'OBR|1|PLACER|A|PATH^Pathology^L|||202603010800||||||||||||||||||F',
    ...said.map((one) => {
      const [text = '', status = 'F', subId = ''] = one.split('|');
      return `OBX|1|TX|RPT^Report^L|${subId}|${text}||||||${status}|||202603021500`;
    }),
  ];
  const known = report(2, lines('Benign nevus.', 'Margins clear.'));
  const added = report(3, lines('ADDENDUM: atypia.', 'See deeper levels.'));

  // prettier-ignore
  it.each<[string, ReceivedReport[], string]>([
    ['stands behind the text',               [known, added],                                                  'Benign nevus., Margins clear., ADDENDUM: atypia., See deeper levels.'],
    ['stands once',                          [known, added, { ...added, reportedAt: new Date('2026-03-05') }], 'Benign nevus., Margins clear., ADDENDUM: atypia., See deeper levels.'],
    ['may come first',                       [report(1, lines('ADDENDUM: atypia.')), known],                  'ADDENDUM: atypia., Benign nevus., Margins clear.'],
    ['is corrected, and the text stays',     [known, added, report(4, lines('ADDENDUM: none.|C'))],           'Benign nevus., Margins clear., ADDENDUM: none. corrected'],
    ['may be followed by another',           [known, added, report(4, lines('Addendum 2: sent out.'))],       'Benign nevus., Margins clear., ADDENDUM: atypia., See deeper levels., Addendum 2: sent out.'],
    ['is over where the text comes with it', [known, added, report(4, lines('Benign.', 'ADDENDUM: none.'))],  'Benign., ADDENDUM: none.'],
    ['may print the text below itself',      [known, report(4, lines('ADDENDUM: atypia.', 'Was: Benign nevus.', 'Margins clear.'))], 'ADDENDUM: atypia., Was: Benign nevus., Margins clear.'],
    ['may go on with the numbers of lines',  [report(2, lines('Benign nevus.|F|1')), report(3, lines('Addendum: atypia.|F|2'))], 'Benign nevus., Addendum: atypia.'],
  ])('%s', (_what, reports, wanted) => expect(values(...reports)).toBe(wanted));
});

it('takes no longer for each where each of very many was drawn at a time of its own', () => {
  const [one] = report(2, test(drawnAt(8), '90 F')).observations;
  if (!one) throw new Error('Nothing was read');
  const many = (size: number, day: number, status: 'final' | 'corrected') => ({
    ...report(day, test(drawnAt(8), '90 F')),
    observations: Array.from({ length: size }, (_, index) => ({
      ...one,
      status,
      observedAt: new Date(index * 1000 + day),
    })),
  });
  const grown = measureGrowth(1000, (size) =>
    mergeReports([many(size, 2, 'final'), many(size, 3, 'final')], many(size, 4, 'corrected')),
  );
  expect(grown).toBeLessThan(LINEAR_MAX);
});
