import type { ReceivedObservation, ReceivedReport, TestNote } from '../../adapters/lab-network/port.ts';
import { toObservationKey, type ReceivedObservations } from './observation-key.ts';

/**
 * Compatibility with reports stored by earlier versions, which stored panel notes as notes of the whole report, and
 * specimen details as results. If a laboratory sends such a report again, it must not count as a correction.
 */

/** The test notes without those that an earlier report stored as notes of the report. */
export function omitLegacyNotes(reports: readonly ReceivedReport[]): TestNote[] {
  const kept = new Set<string>();
  const notes: TestNote[] = [];
  for (const { notes: own, testNotes } of reports) {
    if (testNotes) notes.push(...testNotes.filter(({ note }) => !kept.has(note)));
    else for (const note of own) kept.add(note);
  }
  return notes;
}

/** Converts asides to results if the same value was stored as a result before. */
export function alignWithLegacyResults(
  told: ReceivedObservations,
  before: ReadonlyMap<string, readonly ReceivedObservation[]>,
): ReceivedObservations {
  if (!told.some(({ isAside }) => isAside)) return told;
  return told.map((one) => {
    const { isAside, ...result } = one;
    if (!isAside || before.has(toObservationKey(one))) return one;
    const kept = before.get(toObservationKey(result)) ?? [];
    const isKept = kept.some(
      ({ origin, value, unit }) => origin === undefined && value === one.value && unit === one.unit,
    );
    return isKept ? result : one;
  });
}
