import { describe, expect, it } from 'vitest';
import { LINEAR_MAX, measureGrowth } from '../../../test/growth.ts';
import type { ReceivedObservation, ReceivedReport } from '../../adapters/lab-network/port.ts';
import { mergeReports } from './merge-reports.ts';

const STATUSES: Readonly<Record<string, ReceivedObservation['status']>> = {
  P: 'preliminary',
  C: 'corrected',
  X: 'cancelled',
};

/**
 * `Ampicillin#1=32 P` of the culture: what, of which isolate, the value, and whether it is preliminary, corrected or taken
 * back; `U` makes a value final without repeating it. `BMP/Glucose=90@8` is of another panel, and was drawn at eight.
 */
function observed(written: string): ReceivedObservation {
  const [, panel = 'CULTURE', name = '', subId, value = '', hour, status = ''] =
    /^(?:([^/]+)\/)?([^#=]+)(?:#([^=]+))?=([^\s@]*)(?:@(\d+))?(?: ([PCXU]))?$/.exec(written) ?? [];
  return {
    test: { code: panel, name: panel, loinc: null },
    code: name.toUpperCase(),
    name,
    loinc: null,
    ...(subId === undefined ? {} : { subId }),
    form: name === 'Comment' ? 'text' : 'coded',
    value: status === 'U' ? null : value,
    ...(status === 'U' ? { statement: 'confirmation' } : {}),
    unit: null,
    referenceRange: null,
    flags: [],
    status: STATUSES[status] ?? 'final',
    notes: [],
    performingLaboratory: null,
    observedAt: hour === undefined ? null : new Date(Date.UTC(2026, 2, 1, Number(hour))),
  };
}

const report = (
  day: number,
  written: readonly string[],
  status: ReceivedReport['status'] = 'final',
): ReceivedReport => ({
  lab: 'labcorp',
  accountNumber: null,
  controlId: `M${day}`,
  placerOrderId: null,
  sampleIds: [],
  status,
  patient: null,
  collectedAt: null,
  receivedAt: null,
  reportedAt: new Date(Date.UTC(2026, 2, day)),
  laboratory: null,
  clia: null,
  observations: written.map(observed),
  notes: [],
});

function merged(...written: readonly (readonly string[])[]): string {
  const reports = written.map((each, at) => report(at + 1, each));
  const { observations } = mergeReports(reports.slice(0, -1), reports.at(-1) ?? report(1, []));
  return observations
    .map(({ name, subId, value }) => `${name}${subId === undefined ? '' : `#${subId}`}=${value}`)
    .join(' ');
}

const BOTH = ['Isolate#1=Ecoli', 'Ampi#1=R', 'Isolate#2=Kleb', 'Ampi#2=S'];
const BARE = ['Isolate=Ecoli', 'Ampi=R', 'Isolate=Kleb', 'Ampi=S'];

describe('a value that becomes final without being repeated', () => {
  const statuses = (...written: readonly (readonly string[])[]) => {
    const [last, ...earlier] = written.map((each, at) => report(at + 1, each)).toReversed();
    const { observations } = mergeReports(earlier.toReversed(), last ?? report(1, []));
    return observations.map(({ name, value, status }) => `${name}=${value} ${status}`);
  };
  // prettier-ignore
  it.each<[string, readonly (readonly string[])[], readonly string[]]>([
    ['keeps its value',              [['Ampi=R P'], ['Ampi= U']],                         ['Ampi=R final']],
    ['keeps each of its values',     [['Ampi#1=R P', 'Ampi#2=S P'], ['Ampi= U']],         ['Ampi=R final', 'Ampi=S final']],
    ['is the one of its number',     [['Ampi#1=R P', 'Ampi#2=S P'], ['Ampi#2= U']],       ['Ampi=R preliminary', 'Ampi=S final']],
    ['does not undo a correction',   [['Ampi=R P'], ['Ampi=S C'], ['Ampi= U']],           ['Ampi=S corrected']],
    ['has none that is not known',   [['Gent=S P'], ['Ampi= U']],                         ['Gent=S preliminary', 'Ampi=null final']],
  ])('%s', (_what, reports, wanted) => expect(statuses(...reports)).toEqual(wanted));
});

describe('a culture with two isolates', () => {
  // prettier-ignore
  it.each<[string, readonly (readonly string[])[], string]>([
    ['is told as it came',                                [BOTH],                                          BOTH.join(' ')],
    ['is told as it came without sub-ids',                [BARE],                                          BARE.join(' ')],
    ['is as it came last',                                [['Isolate#1=Gramneg P'], BOTH],                 BOTH.join(' ')],
    ['is as it came last without sub-ids',                [['Isolate=Gramneg P', 'Ampi=I P'], BARE],       BARE.join(' ')],
    ['may come again in another order',                   [BARE, ['Isolate=Kleb', 'Ampi=S', 'Isolate=Ecoli', 'Ampi=R']], 'Isolate=Kleb Ampi=S Isolate=Ecoli Ampi=R'],
    ['is corrected in one place alone',                   [BOTH, ['Ampi#2=I']],                            'Isolate#1=Ecoli Ampi#1=R Isolate#2=Kleb Ampi#2=I'],
    ['has a further drug behind what it was told behind', [BOTH, ['Isolate#1=Ecoli', 'Gent#1=S']],         'Isolate#1=Ecoli Gent#1=S Ampi#1=R Isolate#2=Kleb Ampi#2=S'],
    ['loses a preliminary isolate that did not grow',     [['Isolate#1=Ecoli P', 'Isolate#2=Mixed P'], ['Isolate#1=Ecoli']], 'Isolate#1=Ecoli'],
    ['is not undone by what is preliminary',              [BOTH, ['Isolate#1=Gramneg P']],                 BOTH.join(' ')],
    ['has its isolates numbered anew',                    [BOTH, ['Isolate#3=Ecoli', 'Ampi#3=R']],         'Isolate#3=Ecoli Ampi#3=R'],
  ])('%s', (_what, reports, wanted) => expect(merged(...reports)).toBe(wanted));
});

describe('several reports', () => {
  // prettier-ignore
  it.each<[string, readonly (readonly string[])[], string]>([
    ['of other things stand one behind the other',        [['A=1', 'B=2'], ['C=3']],                       'A=1 B=2 C=3'],
    ['change a value in its place',                       [['A=1', 'B=2', 'C=3'], ['B=4']],                'A=1 B=4 C=3'],
    ['change a value also where its number changed',      [['A#1=1', 'B#2=2'], ['A#7=4']],                 'A#7=4 B#2=2'],
    ['keep a value that is only announced again',         [['A=1 P'], ['A= P', 'B=2']],                    'A=1 B=2'],
    ['put what is new behind what it was told behind',    [['A=1', 'C=3'], ['A=1', 'B=2']],                'A=1 B=2 C=3'],
    ['have the lines of a text as a whole',               [['Comment#1=a', 'Comment#2=b', 'Comment#3=c'], ['Comment#1=x', 'Comment#2=y']], 'Comment#1=x Comment#2=y'],
  ])('%s', (_what, reports, wanted) => expect(merged(...reports)).toBe(wanted));
});

/** Each as `Panel/Name=value`. */
function shown(...reports: readonly ReceivedReport[]): string {
  const { observations } = mergeReports(reports.slice(0, -1), reports.at(-1) ?? report(1, []));
  return observations.map(({ test, name, value }) => `${test.code}/${name}=${value}`).join(' ');
}

describe('what comes under the code of another panel than before', () => {
  const CHEMISTRY = ['BMP/Glucose=90', 'BMP/Sodium=140'];
  // prettier-ignore
  it.each<[string, readonly string[], readonly string[], string]>([
    ['takes the place of the value that it corrects',          CHEMISTRY,                             ['GLU/Glucose=95 C'],                    'BMP/Glucose=95 BMP/Sodium=140'],
    ['takes a value back',                                     CHEMISTRY,                             ['GLU/Glucose=90 X'],                    'BMP/Glucose=90 BMP/Sodium=140'],
    ['stands beside it where it corrects nothing',             CHEMISTRY,                             ['GLU/Glucose=95'],                      'BMP/Glucose=90 BMP/Sodium=140 GLU/Glucose=95'],
    ['stands beside it where both panels tell of it now',      CHEMISTRY,                             ['BMP/Glucose=91 C', 'GLU/Glucose=95 C'], 'BMP/Glucose=91 GLU/Glucose=95 BMP/Sodium=140'],
    ['corrects its own panel first',                           [...CHEMISTRY, 'GLU/Glucose=120'],     ['GLU/Glucose=125 C'],                   'BMP/Glucose=90 BMP/Sodium=140 GLU/Glucose=125'],
    ['stands beside two of which it may be either',            ['A/Glucose=90@8', 'B/Glucose=120@9'], ['C/Glucose=95@7 C'],                    'A/Glucose=90 B/Glucose=120 C/Glucose=95'],
    ['is that of two which was drawn when it was',             ['A/Glucose=90@8', 'B/Glucose=120@9'], ['C/Glucose=95@9 C'],                    'A/Glucose=90 B/Glucose=95'],
    ['leaves alone what it is only a cancelled double of',     CHEMISTRY,                             ['GLU/Glucose= X'],                      'BMP/Glucose=90 BMP/Sodium=140 GLU/Glucose='],
    ['corrects one drug of one isolate',                       ['CUL/Ampi#1=R', 'CUL/Ampi#2=S'],      ['SUS/Ampi#2=I C'],                      'CUL/Ampi=R CUL/Ampi=I'],
  ])('%s', (_what, before, now, wanted) => {
    expect(shown(report(1, before), report(2, now))).toBe(wanted);
  });

  // prettier-ignore
  it.each<[string, string, string]>([
    ['drawn at the same time takes its place', 'GLU/Glucose=95@8',  'BMP/Glucose=95'],
    ['drawn at another time is another value', 'GLU/Glucose=95@10', 'BMP/Glucose=90 GLU/Glucose=95'],
    ['drawn nobody knows when stands beside',  'GLU/Glucose=95',    'BMP/Glucose=90 GLU/Glucose=95'],
  ])('in a report that is one correction and %s', (_what, now, wanted) => {
    expect(shown(report(1, ['BMP/Glucose=90@8']), report(2, [now], 'corrected'))).toBe(wanted);
  });

  it('is found again however often it is corrected, and in whatever order the corrections come', () => {
    const all = [
      report(1, ['BMP/Glucose=90']),
      report(2, ['GLU/Glucose=95 C']),
      report(3, ['BMP/Glucose=97 C']),
      report(4, ['XYZ/Glucose=99 C']),
    ];
    expect(shown(...all)).toBe('BMP/Glucose=99');
    expect(shown(...all.toReversed())).toBe('BMP/Glucose=99');
  });
});

it('takes no longer for each of what is huge', () => {
  const many = (size: number, form: (at: number) => string) =>
    Array.from({ length: size }, (_, at) => form(at));
  const grown = measureGrowth(1000, (size) =>
    merged(
      many(size, (at) => `Ampi#${at}=R`),
      many(size, (at) => `Ampi#${at + 1}=S`),
      many(size, (at) => `N${at}=1`),
    ),
  );
  expect(grown).toBeLessThan(LINEAR_MAX);
});
