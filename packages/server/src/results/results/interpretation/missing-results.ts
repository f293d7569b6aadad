import type {
  ExpectedResult,
  LabReport,
  MissingResult,
  ReceivedObservation,
  ReceivedReport,
  ReportedResult,
  RequestedTest,
} from '../../../adapters/lab-network/port.ts';
import { findTestsExpecting, findTestsReportedUnder, type MatchedObservation } from './match-observations.ts';
import { findNotesOnTest } from './report-notes.ts';
import { findFailureType, inferFailureType, isNotPerformedText } from './failure.ts';
import { AnalyteSet } from './analyte-identity.ts';
import { parseValue } from './value.ts';

/**
 * Whether the laboratory says that there is no result: it cancelled the observation, put `QNS` or the like in the place
 * of the value, or left the value empty and gave the reason in a note. Applies only to results of ordered tests.
 */
export function isMissing({ observation, match }: MatchedObservation): boolean {
  if (match.expectingTests.length === 0) return false;
  if (observation.status === 'cancelled') return true;
  const printed = observation.value?.trim() ?? '';
  if (printed === '') return observation.notes.length === 0 || hasNotPerformedNote(observation.notes);
  const { type } = parseValue(observation);
  if (type !== 'comment' && type !== 'coded_value') return false;
  // Where a number is expected, text that names a cause is the reason for its absence.
  return (
    isNotPerformedText(printed) || (match.expected.kind === 'numeric' && findFailureType(printed) !== null)
  );
}

/** Whether the observation only announces a pending result: it is neither a result nor missing yet. */
export const isPending = ({ status, statement, value, notes }: ReceivedObservation): boolean =>
  statement === 'pending' || (status === 'preliminary' && (value?.trim() ?? '') === '' && notes.length === 0);

/** Whether it is an unexpected line without value and notes, as a heading between results. */
export const isEmpty = ({ observation: { status, value, notes }, match }: MatchedObservation): boolean =>
  !match.wasExpected && status !== 'cancelled' && (value?.trim() ?? '') === '' && notes.length === 0;

/**
 * Whether the laboratory withdrew a result that was not expected: it is neither a result nor missing. A remark in the
 * place of the value, as `TNP`, is kept as a result.
 */
export function isWithdrawn({ observation, match }: MatchedObservation): boolean {
  if (observation.status !== 'cancelled' || match.wasExpected) return false;
  if (observation.isWithdrawal) return true;
  const printed = observation.value?.trim() ?? '';
  if (printed === '') return match.expectingTests.length === 0 && observation.notes.length === 0;
  return !isRemark(observation, printed);
}

/** Text in the place of a value, as opposed to a withdrawn value, which may belong to another patient. */
const isRemark = (observation: ReceivedObservation, printed: string): boolean =>
  isNotPerformedText(printed) ||
  findFailureType(printed) !== null ||
  parseValue(observation).type === 'comment';

export const toWithdrawalNote = ({ observation: { name, notes } }: MatchedObservation): string =>
  `${name}: ${notes.length > 0 ? notes.join('\n') : 'taken back by the laboratory'}`;

const hasNotPerformedNote = (notes: readonly string[]): boolean =>
  notes.some((note) => isNotPerformedText(note));

interface ReportAndTests {
  readonly report: ReceivedReport;
  readonly tests: readonly RequestedTest[];
}

/**
 * The results that the laboratory says it will not report, each expected result once, unless it was reported anyway. A
 * remark on a whole panel applies to each of its results.
 */
export function listReportedMissing(
  failed: readonly MatchedObservation[],
  { results, report, tests }: ReportAndTests & { results: readonly ReportedResult[] },
): MissingResult[] {
  const missing: MissingResult[] = [];
  const told = new AnalyteSet(results.map(({ expected }) => expected));
  for (const { observation, match } of failed) {
    const said = describeFailure(observation, report);
    for (const { expected, of } of listExpectedBy({ observation, match }, tests)) {
      if (told.has(expected)) continue;
      told.add(expected);
      missing.push({ expected, ...markersOf(of), ...said });
    }
  }
  return missing;
}

/** An observation that matches no result of its panel, as `TNP` under the panel's code, applies to all of them. */
function listExpectedBy(
  { observation, match }: MatchedObservation,
  tests: readonly RequestedTest[],
): { expected: ExpectedResult; of: readonly RequestedTest[] }[] {
  if (match.wasExpected) return [{ expected: match.expected, of: match.expectingTests }];
  return findTestsReportedUnder(observation, tests).flatMap((test) =>
    test.expected.map((expected) => ({ expected, of: [test] })),
  );
}

const WITHDRAWN = 'Withdrawn by the laboratory';

const joinLines = (lines: readonly string[]): string | null => (lines.length > 0 ? lines.join('\n') : null);

function describeFailure(
  observation: ReceivedObservation,
  report: ReceivedReport,
): Pick<MissingResult, 'failureType' | 'note'> {
  const printed = observation.value?.trim() ?? '';
  const isReason = observation.status !== 'cancelled' || isRemark(observation, printed);
  const words = [...(isReason ? [printed] : []), ...observation.notes].filter((word) => word !== '');
  return {
    failureType: inferFailureType(words, [...findNotesOnTest(report, observation), ...report.notes]),
    note: joinLines([...(observation.isWithdrawal ? [WITHDRAWN] : []), ...words]),
  };
}

const markersOf = (tests: readonly RequestedTest[]) => ({
  markerId: tests[0]?.markerId ?? 0,
  ...(tests.length > 1 ? { markerIds: tests.map(({ markerId }) => markerId) } : {}),
});

type ResultsAndMissing = Pick<LabReport, 'results' | 'missing'>;

/** Adds the results of the previous version that the new one does not contain. */
export function mergePreviousReport(
  now: ResultsAndMissing,
  before: ResultsAndMissing | null,
): ResultsAndMissing {
  if (!before) return now;
  const told = new AnalyteSet([...now.results, ...now.missing].map(({ expected }) => expected));
  const isTold = ({ expected }: ReportedResult | MissingResult) => told.has(expected);
  return {
    results: [...now.results, ...before.results.filter((each) => !isTold(each))],
    missing: [...now.missing, ...before.missing.filter((each) => !isTold(each))],
  };
}

/**
 * Expected results that the report does not mention. Notes on the panel or on the whole report may give the reason.
 * Results that the laboratory reports only sometimes are not missing.
 */
export function listUnmentionedMissing(
  told: ResultsAndMissing,
  { report, tests }: ReportAndTests,
): MissingResult[] {
  const missing: MissingResult[] = [];
  const known = new AnalyteSet([...told.results, ...told.missing].map(({ expected }) => expected));
  for (const test of tests.filter((one) => !isReportedInDocument(one, { report, tests }))) {
    const cause = lazy(() => findCauseFor(test, { report, tests }));
    for (const expected of test.expected) {
      if (expected.required === false || known.has(expected)) continue;
      known.add(expected);
      const of = findTestsExpecting(expected, tests);
      missing.push({ expected, ...markersOf(of), ...cause() });
    }
  }
  return missing;
}

/** Whether a document is all that the laboratory sent, for this test or at all: then its results are in there. */
function isReportedInDocument(test: RequestedTest, { report, tests }: ReportAndTests): boolean {
  const { documents = [], observations } = report;
  if (documents.length === 0) return false;
  const isUnder = (one: Pick<ReceivedObservation, 'test'>) =>
    findTestsReportedUnder(one, tests).includes(test);
  return observations.length === 0 || (documents.some(isUnder) && !observations.some(isUnder));
}

/** Computes on first use: most reports lack nothing, and then no cause is searched for. */
function lazy<T>(find: () => T): () => T {
  let found: { readonly value: T } | undefined;
  return () => (found ??= { value: find() }).value;
}

/** Only notes that name a cause count. */
function findCauseFor(
  test: RequestedTest,
  { report, tests }: ReportAndTests,
): Pick<MissingResult, 'failureType' | 'note'> {
  const isUnder = (one: Pick<ReceivedObservation, 'test'>) =>
    findTestsReportedUnder(one, tests).includes(test);
  const onResults = report.observations
    .filter(({ notes }) => notes.length > 0)
    .filter(isUnder)
    .flatMap(({ notes }) => notes);
  const { testNotes = [] } = report;
  // A test that is not mentioned itself may have been reported under another panel.
  const isToldOf = testNotes.length > 0 && [...testNotes, ...report.observations].some(isUnder);
  const onPanel = testNotes.filter((one) => !isToldOf || isUnder(one)).map(({ note }) => note);
  const note =
    [...onResults, ...onPanel, ...report.notes].find((each) => findFailureType(each) !== null) ?? null;
  return { failureType: (note === null ? null : findFailureType(note)) ?? 'unknown_failure', note };
}
