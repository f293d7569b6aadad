import type { ReceivedObservation, ReceivedReport, TestNote } from '../../../adapters/lab-network/port.ts';
import type { Told } from './answers.ts';
import { codeKey, nameKey } from './identity.ts';

/**
 * What is said beside the results, of the specimen or in answer to a question of the order. It is a result where it is
 * what was ordered and no result proper is: an ordered value may stand behind its specimen.
 */
export function asidesIn(all: readonly Told[]): readonly Told[] {
  const asides = all.filter(({ observation }) => observation.isAside);
  if (asides.length === 0) return asides;
  const answered = new Set(
    all.filter(({ observation }) => !observation.isAside).map((told) => told.answered.expected),
  );
  return asides.filter(({ answered: { expected, wasExpected } }) => !wasExpected || answered.has(expected));
}

export function asideOf({ observation: { name, value, unit, notes } }: Told): string {
  const printed = [value, unit].filter((part) => part !== null && part.trim() !== '').join(' ');
  return [`${name}:`, [printed, ...notes].filter((part) => part !== '').join('\n')].join(' ').trim();
}

/**
 * What is said of further draws that failed, of things that have a result of another draw: nothing is missing, and
 * nobody may wait for them.
 */
export function failedDrawsIn(failed: readonly Told[], found: readonly Told[]): string[] {
  const times = new Map<string, Set<number | undefined>>();
  for (const { observation, answered } of failed.length === 0 ? [] : found) {
    const known = times.get(thingOf(answered)) ?? new Set();
    times.set(thingOf(answered), known.add(observation.observedAt?.getTime()));
  }
  return failed.flatMap(({ observation: { name, value, notes, status, observedAt: at }, answered }) => {
    const others = times.get(thingOf(answered));
    if (at === null || !others || others.has(undefined) || others.has(+at)) return [];
    const words = [...(status === 'cancelled' ? [] : [value?.trim() ?? '']), ...notes].filter(Boolean);
    const when = `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    return [`${name} (${when}): ${words.length > 0 ? words.join('\n') : 'not reported by the laboratory'}`];
  });
}

const thingOf = ({ expected: { providerId, slug } }: Told['answered']): string =>
  codeKey(providerId ?? '') || slug;

/** What is noted of single tests, under their names where the report is of several. */
export function testNotesIn({ observations, testNotes = [] }: ReceivedReport): string[] {
  if (testNotes.length === 0) return [];
  const [first] = testNotes;
  const isOfOne = [...observations, ...testNotes].every(({ test }) => isSameTest(test, first?.test));
  return testNotes.map(({ test: { name, code }, note }) => {
    const called = name ?? code;
    return isOfOne || called === null ? note : `${called}: ${note}`;
  });
}

/** The notes on the test under which an observation was reported. */
export const notesOnTest = (
  { testNotes = [] }: Pick<ReceivedReport, 'testNotes'>,
  { test }: Pick<ReceivedObservation, 'test'>,
): string[] => testNotes.filter((one) => isSameTest(one.test, test)).map(({ note }) => note);

type Test = TestNote['test'];

const isSameTest = (one: Test, other: Test | undefined): boolean =>
  one === other || (other !== undefined && keyOf(one) === keyOf(other));

const keyOf = ({ code, loinc, name }: Test): string => codeKey(code ?? loinc ?? '') || nameKey(name ?? '');
