import type { ReceivedObservation, ReceivedReport, TestNote } from '../../../adapters/lab-network/port.ts';
import type { MatchedObservation } from './match-observations.ts';
import { codeKey, nameKey } from './analyte-identity.ts';

/**
 * Observations that support the results: on the specimen, or answers to questions at order entry. They become notes.
 * One that matches an ordered result which has no observation of its own is not among them: it is the result.
 */
export function findSupportingObservations(
  all: readonly MatchedObservation[],
): readonly MatchedObservation[] {
  const asides = all.filter(({ observation }) => observation.isAside);
  if (asides.length === 0) return asides;
  const answered = new Set(
    all.filter(({ observation }) => !observation.isAside).map((told) => told.match.expected),
  );
  return asides.filter(
    ({ observation: { statement }, match: { expected, wasExpected } }) =>
      statement === 'detail' || !wasExpected || answered.has(expected),
  );
}

/** What the laboratory remarks on a result that it only announces; gone when the result arrives. */
export const listPendingNotes = (pending: readonly ReceivedObservation[]): string[] =>
  pending.flatMap(({ name, notes }) =>
    notes.length === 0 ? [] : [`${name} (pending): ${notes.join('\n')}`],
  );

export function toSupportingNote({ observation: { name, value, unit, notes } }: MatchedObservation): string {
  const printed = [value, unit].filter((part) => part !== null && part.trim() !== '').join(' ');
  return [`${name}:`, [printed, ...notes].filter((part) => part !== '').join('\n')].join(' ').trim();
}

/**
 * Notes on failed draws of analytes that have a result from another draw. Nothing is missing then, so the failure is
 * only a note.
 */
export function listFailedDrawNotes(
  failed: readonly MatchedObservation[],
  found: readonly MatchedObservation[],
): string[] {
  const times = new Map<string, Set<number | undefined>>();
  for (const { observation, match } of failed.length === 0 ? [] : found) {
    const known = times.get(analyteKeyOf(match)) ?? new Set();
    times.set(analyteKeyOf(match), known.add(observation.observedAt?.getTime()));
  }
  return failed.flatMap(({ observation: { name, value, notes, status, observedAt: at }, match }) => {
    const others = times.get(analyteKeyOf(match));
    if (at === null || !others || others.has(undefined) || others.has(+at)) return [];
    const words = [...(status === 'cancelled' ? [] : [value?.trim() ?? '']), ...notes].filter(Boolean);
    const when = `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    return [`${name} (${when}): ${words.length > 0 ? words.join('\n') : 'not reported by the laboratory'}`];
  });
}

const analyteKeyOf = ({ expected: { providerId, slug } }: MatchedObservation['match']): string =>
  codeKey(providerId ?? '') || slug;

/** The notes on single tests, prefixed with the test's name where the report has several tests. */
export function listTestNotes({ observations, testNotes = [] }: ReceivedReport): string[] {
  if (testNotes.length === 0) return [];
  const [first] = testNotes;
  const isOfOne = [...observations, ...testNotes].every(({ test }) => isSameTest(test, first?.test));
  return testNotes.map(({ test: { name, code }, note }) => {
    const called = name ?? code;
    return isOfOne || called === null ? note : `${called}: ${note}`;
  });
}

/** The notes on the test under which an observation was reported. */
export const findNotesOnTest = (
  { testNotes = [] }: Pick<ReceivedReport, 'testNotes'>,
  { test }: Pick<ReceivedObservation, 'test'>,
): string[] => testNotes.filter((one) => isSameTest(one.test, test)).map(({ note }) => note);

type TestReference = TestNote['test'];

const isSameTest = (one: TestReference, other: TestReference | undefined): boolean =>
  one === other || (other !== undefined && testKeyOf(one) === testKeyOf(other));

const testKeyOf = ({ code, loinc, name }: TestReference): string =>
  codeKey(code ?? loinc ?? '') || nameKey(name ?? '');
