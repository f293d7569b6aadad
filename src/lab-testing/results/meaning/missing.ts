import type {
  ExpectedResult,
  LabReport,
  MissingResult,
  ReceivedObservation,
  ReceivedReport,
  ReportedResult,
  RequestedTest,
} from '../../../adapters/lab-network/port.ts';
import { expecting, testsUnder, type Told } from './answers.ts';
import { notesOnTest } from './asides.ts';
import { failureIn, inferFailure, saysNotDone } from './failure.ts';
import { Things } from './identity.ts';
import { readValue } from './value.ts';

/**
 * Whether the laboratory says that there is no result: it took the observation back, put `QNS` or the like in its
 * place, or put nothing there and said why in a note. What nobody asked for cannot be missing and is kept as it is,
 * unless it is reported under an ordered test.
 */
export function isMissing({ observation, answered }: Told): boolean {
  if (answered.tests.length === 0) return false;
  if (observation.status === 'cancelled') return true;
  const printed = observation.value?.trim() ?? '';
  if (printed === '') return observation.notes.length === 0 || saysWhyNot(observation.notes);
  const { type } = readValue(observation);
  if (type !== 'comment' && type !== 'coded_value') return false;
  // Where a number is expected, words that name a cause are the reason why there is none.
  return saysNotDone(printed) || (answered.expected.kind === 'numeric' && failureIn(printed) !== null);
}

/** Whether it is only named, as what is still to come: it is no result yet, and nothing is missing yet. */
export const isAnnounced = ({ status, value, notes }: ReceivedObservation): boolean =>
  status === 'preliminary' && (value?.trim() ?? '') === '' && notes.length === 0;

/** Whether it is a line without a value or a word that nobody asked for, as a heading between the results is. */
export const isEmpty = ({ observation: { status, value, notes }, answered }: Told): boolean =>
  !answered.wasExpected && status !== 'cancelled' && (value?.trim() ?? '') === '' && notes.length === 0;

/**
 * Whether the laboratory took a value back that nobody asked for: it is no result any more, and nothing is missing
 * without it. A remark, as `TNP`, in the place of one is kept as it is.
 */
export function isWithdrawn({ observation, answered }: Told): boolean {
  if (observation.status !== 'cancelled' || answered.wasExpected) return false;
  const printed = observation.value?.trim() ?? '';
  if (printed === '') return answered.tests.length === 0 && observation.notes.length === 0;
  return !isRemark(observation, printed);
}

/** Words in the place of a value, as against a value that is no longer true, and may be of somebody else. */
const isRemark = (observation: ReceivedObservation, printed: string): boolean =>
  saysNotDone(printed) || failureIn(printed) !== null || readValue(observation).type === 'comment';

export const withdrawalOf = ({ observation: { name, notes } }: Told): string =>
  `${name}: ${notes.length > 0 ? notes.join('\n') : 'taken back by the laboratory'}`;

const saysWhyNot = (notes: readonly string[]): boolean => notes.some((note) => saysNotDone(note));

interface Asked {
  readonly report: ReceivedReport;
  readonly tests: readonly RequestedTest[];
}

/**
 * What the laboratory says will not come, each expected result once, unless it came all the same; a word about a whole
 * panel is about each part of it.
 */
export function missingOf(
  failed: readonly Told[],
  { results, report, tests }: Asked & { results: readonly ReportedResult[] },
): MissingResult[] {
  const missing: MissingResult[] = [];
  const told = new Things(results.map(({ expected }) => expected));
  for (const { observation, answered } of failed) {
    const said = saidOf(observation, report);
    for (const { expected, of } of meantBy({ observation, answered }, tests)) {
      if (told.has(expected)) continue;
      told.add(expected);
      missing.push({ expected, ...markersOf(of), ...said });
    }
  }
  return missing;
}

/** An observation that is none of a panel's results, as `TNP` under the panel's own code, speaks of all of them. */
function meantBy(
  { observation, answered }: Told,
  tests: readonly RequestedTest[],
): { expected: ExpectedResult; of: readonly RequestedTest[] }[] {
  if (answered.wasExpected) return [{ expected: answered.expected, of: answered.tests }];
  return testsUnder(observation, tests).flatMap((test) =>
    test.expected.map((expected) => ({ expected, of: [test] })),
  );
}

function saidOf(
  observation: ReceivedObservation,
  report: ReceivedReport,
): Pick<MissingResult, 'failureType' | 'note'> {
  const printed = observation.value?.trim() ?? '';
  const isReason = observation.status !== 'cancelled' || isRemark(observation, printed);
  const words = [...(isReason ? [printed] : []), ...observation.notes].filter((word) => word !== '');
  return {
    failureType: inferFailure(words, [...notesOnTest(report, observation), ...report.notes]),
    note: words.length > 0 ? words.join('\n') : null,
  };
}

const markersOf = (tests: readonly RequestedTest[]) => ({
  markerId: tests[0]?.markerId ?? 0,
  ...(tests.length > 1 ? { markerIds: tests.map(({ markerId }) => markerId) } : {}),
});

type Findings = Pick<LabReport, 'results' | 'missing'>;

/** With what an earlier version tells and this one does not. */
export function withEarlier(now: Findings, before: Findings | null): Findings {
  if (!before) return now;
  const told = new Things([...now.results, ...now.missing].map(({ expected }) => expected));
  const isTold = ({ expected }: ReportedResult | MissingResult) => told.has(expected);
  return {
    results: [...now.results, ...before.results.filter((each) => !isTold(each))],
    missing: [...now.missing, ...before.missing.filter((each) => !isTold(each))],
  };
}

/**
 * What was expected and of which nothing was said at all. Notes on its panel or on the whole report may say why. What
 * the laboratory reports only sometimes is not missing when it does not come.
 */
export function silentlyMissing(told: Findings, { report, tests }: Asked): MissingResult[] {
  const missing: MissingResult[] = [];
  const known = new Things([...told.results, ...told.missing].map(({ expected }) => expected));
  for (const test of tests) {
    const cause = once(() => causeFor(test, { report, tests }));
    for (const expected of test.expected) {
      if (expected.required === false || known.has(expected)) continue;
      known.add(expected);
      const of = expecting(expected, tests);
      missing.push({ expected, ...markersOf(of), ...cause() });
    }
  }
  return missing;
}

/** Most reports lack nothing, and then nobody needs to look for a reason. */
function once<T>(find: () => T): () => T {
  let found: { readonly value: T } | undefined;
  return () => (found ??= { value: find() }).value;
}

/** Only words that name a cause are taken for one: a note on something else is no reason. */
function causeFor(
  test: RequestedTest,
  { report, tests }: Asked,
): Pick<MissingResult, 'failureType' | 'note'> {
  const isUnder = (one: Pick<ReceivedObservation, 'test'>) => testsUnder(one, tests).includes(test);
  const onResults = report.observations
    .filter(({ notes }) => notes.length > 0)
    .filter(isUnder)
    .flatMap(({ notes }) => notes);
  const { testNotes = [] } = report;
  // Where the test has no panel of its own, it was answered under another one.
  const isToldOf = testNotes.length > 0 && [...testNotes, ...report.observations].some(isUnder);
  const onPanel = testNotes.filter((one) => !isToldOf || isUnder(one)).map(({ note }) => note);
  const note = [...onResults, ...onPanel, ...report.notes].find((each) => failureIn(each) !== null) ?? null;
  return { failureType: (note === null ? null : failureIn(note)) ?? 'unknown_failure', note };
}
