import type { ReceivedObservation, ReceivedReport, TestNote } from '../../adapters/lab-network/port.ts';
import { keyOf, type Observations } from './same-thing.ts';

/**
 * Reports that earlier versions of this program kept tell notes on a panel as notes on the whole report, and what was
 * said of a specimen as a result. A laboratory that sends such a report again has changed nothing, and nobody may be
 * told of a correction.
 */

/** The notes on tests but for those that an earlier report without any had as its own. */
export function withoutKeptNotes(reports: readonly ReceivedReport[]): TestNote[] {
  const kept = new Set<string>();
  const notes: TestNote[] = [];
  for (const { notes: own, testNotes } of reports) {
    if (testNotes) notes.push(...testNotes.filter(({ note }) => !kept.has(note)));
    else for (const note of own) kept.add(note);
  }
  return notes;
}

/** What is told beside the results, as the result that it was kept as where it says the same. */
export function asKeptBefore(
  told: Observations,
  before: ReadonlyMap<string, readonly ReceivedObservation[]>,
): Observations {
  if (!told.some(({ isAside }) => isAside)) return told;
  return told.map((one) => {
    const { isAside, ...result } = one;
    if (!isAside || before.has(keyOf(one))) return one;
    const kept = before.get(keyOf(result)) ?? [];
    const isKept = kept.some(
      ({ origin, value, unit }) => origin === undefined && value === one.value && unit === one.unit,
    );
    return isKept ? result : one;
  });
}
