import { describe, expect, it } from 'vitest';
import type { ReceivedObservation, ReceivedReport } from '../../adapters/lab-network/port.ts';
import { mergeReports } from './merge-reports.ts';

/** `Ampicillin#1=32 P` of the culture: what, of which isolate, the value, and whether it is still preliminary. */
function observed(written: string): ReceivedObservation {
  const [, name = '', subId, value = '', status] =
    /^([^#=]+)(?:#([^=]+))?=(\S*)(?: (P))?$/.exec(written) ?? [];
  return {
    test: { code: 'CULTURE', name: 'Culture', loinc: null },
    code: name.toUpperCase(),
    name,
    loinc: null,
    ...(subId === undefined ? {} : { subId }),
    form: name === 'Comment' ? 'text' : 'coded',
    value,
    unit: null,
    referenceRange: null,
    flags: [],
    status: status === 'P' ? 'preliminary' : 'final',
    notes: [],
    performingLaboratory: null,
    observedAt: null,
  };
}

const report = (day: number, written: readonly string[]): ReceivedReport => ({
  lab: 'labcorp',
  accountNumber: null,
  controlId: `M${day}`,
  placerOrderId: null,
  sampleIds: [],
  status: 'final',
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

it('takes no longer for what is huge', () => {
  const many = (form: (at: number) => string) => Array.from({ length: 50_000 }, (_, at) => form(at));
  const started = performance.now();
  merged(
    many((at) => `Ampi#${at}=R`),
    many((at) => `Ampi#${at + 1}=S`),
    many((at) => `N${at}=1`),
  );
  expect(performance.now() - started).toBeLessThan(3000);
});
