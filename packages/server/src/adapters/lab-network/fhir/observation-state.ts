import type { ReceivedObservation } from '../received.ts';
import { isPendingText } from '../unavailable-text.ts';
import { getConceptText, type PrintedValue } from './print-value.ts';
import type { CodeableConcept, FhirObservation } from './wire.ts';

/** Absent reasons that add nothing to the missing value. */
const UNINFORMATIVE_REASONS = new Set(['unknown', 'not-performed', 'error', 'temp-unknown']);

function readAbsentReason(concept: CodeableConcept): string | null {
  const words = getConceptText(concept);
  return words === null || UNINFORMATIVE_REASONS.has(words) ? null : words;
}

const STATUS: Readonly<Record<FhirObservation['status'], ReceivedObservation['status']>> = {
  registered: 'preliminary',
  preliminary: 'preliminary',
  unknown: 'preliminary',
  final: 'final',
  amended: 'corrected',
  corrected: 'corrected',
  cancelled: 'cancelled',
  'entered-in-error': 'cancelled',
};

interface StateSource {
  readonly status: FhirObservation['status'];
  readonly dataAbsentReason: CodeableConcept | undefined;
  readonly isReportCancelled: boolean;
}

/** The state of a result, with the reason if its value is absent. A value that is only announced is none. */
export function readState(
  printed: PrintedValue | null,
  { status, dataAbsentReason, isReportCancelled }: StateSource,
): Pick<ReceivedObservation, 'status' | 'statement' | 'notes'> & { readonly printed: PrintedValue | null } {
  const reason = printed || !dataAbsentReason ? null : readAbsentReason(dataAbsentReason);
  const notes = reason === null ? [] : [reason];
  if (isReportCancelled || STATUS[status] === 'cancelled') return { printed, status: 'cancelled', notes };
  const isAnnounced =
    isPendingText(printed?.value ?? '') ||
    (printed === null &&
      (status === 'registered' || dataAbsentReason?.coding.some(({ code }) => code === 'temp-unknown')));
  if (isAnnounced) return { printed: null, status: 'preliminary', statement: 'pending', notes };
  if (status === 'registered' && printed !== null)
    return { printed, status: 'preliminary', notes: ['The laboratory marks this value as pending'] };
  const isAbsent = printed === null && dataAbsentReason !== undefined;
  return { printed, status: isAbsent ? 'cancelled' : STATUS[status], notes };
}
