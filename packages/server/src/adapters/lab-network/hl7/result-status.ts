import type { ReceivedObservation } from '../received.ts';
import { isPendingText, isPlaceholderText } from '../unavailable-text.ts';
import { isCancelledTest } from './report-times.ts';

/** What an observation result status means for the value next to it. */
interface ResultStatusMeaning {
  readonly status: ReceivedObservation['status'];
  readonly statement?: NonNullable<ReceivedObservation['statement']>;
  /** Printed next to a value that the status says does not exist. */
  readonly contradiction?: string;
  /** Printed instead of a value. */
  readonly note?: string;
}

const NOT_ASKED = 'Not asked for: no further testing';

/** HL7 table 0085, as of version 2.8. */
// prettier-ignore
export const RESULT_STATUSES: Readonly<Record<string, ResultStatusMeaning>> = {
  A: { status: 'corrected' },                             // amended by data of the placer
  B: { status: 'final' },                                 // appended: clarified, same value
  C: { status: 'corrected' },
  D: { status: 'cancelled' },                             // deletes the OBX
  F: { status: 'final' },
  I: { status: 'preliminary', statement: 'pending', contradiction: 'The laboratory marks this value as pending' },
  N: { status: 'cancelled', note: NOT_ASKED, contradiction: 'The laboratory marks this value as not asked for' },
  O: { status: 'final', statement: 'detail' },            // describes the order
  P: { status: 'preliminary' },
  R: { status: 'preliminary' },                           // entered, not verified
  S: { status: 'preliminary' },                           // partial
  U: { status: 'final', statement: 'confirmation' },      // final now, often without its value
  V: { status: 'final' },                                 // verified, same value
  W: { status: 'cancelled' },                             // of another patient
  X: { status: 'cancelled' },                             // cannot be obtained
};

/** HL7 table 0123: statuses of pending tests. */
const PENDING_TESTS = new Set(['O', 'I', 'S', 'A', 'P', 'R']);
export const isPendingTest = (status: string): boolean => PENDING_TESTS.has(status);

/** The results of a pending test are preliminary, those of any other as the code says in table 0085. */
const readTestStatus = (test: string): ReceivedObservation['status'] =>
  isPendingTest(test) ? 'preliminary' : (RESULT_STATUSES[test]?.status ?? 'final');

type ResultState = Pick<ReceivedObservation, 'status' | 'statement' | 'value' | 'notes'>;

/**
 * The state of a result by OBX-11; if that is empty or unknown, by the status of its test (OBR-25); if that is empty
 * too, final. The results of a canceled test are canceled, whatever they say. A value that its status says does not
 * exist is kept as preliminary, with a note.
 */
export function readResultState(
  value: string | null,
  { own, test }: { own: string | null; test: string | null },
): ResultState {
  if (isCancelledTest(test)) return { status: 'cancelled', value, notes: [] };
  const code = (own ?? '').toUpperCase();
  const meaning = Object.hasOwn(RESULT_STATUSES, code) ? RESULT_STATUSES[code] : undefined;
  const notes = own === null || meaning ? [] : [`Unknown result status of the laboratory: ${own}`];
  return toState(value, meaning ?? { status: readTestStatus(test ?? '') }, notes);
}

function toState(
  value: string | null,
  { status, statement, contradiction, note }: ResultStatusMeaning,
  notes: readonly string[],
): ResultState {
  const isEmpty = value === null || value.trim() === '';
  if (status !== 'cancelled' && statement !== 'detail' && !isEmpty && isPendingText(value))
    return { status: 'preliminary', statement: 'pending', value: null, notes };
  if (contradiction !== undefined) {
    const isMissingValue = isEmpty || isPlaceholderText(value);
    if (!isMissingValue) return { status: 'preliminary', value, notes: [contradiction] };
    return {
      status,
      ...(statement ? { statement } : {}),
      value: null,
      notes: note === undefined ? notes : [note],
    };
  }
  // With its value, a confirmation is an ordinary final result.
  if (statement === 'detail' || (statement === 'confirmation' && isEmpty))
    return { status, statement, value, notes };
  return { status, value, notes };
}
