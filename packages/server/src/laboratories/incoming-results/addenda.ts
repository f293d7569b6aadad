import type { ReceivedObservation } from '../../adapters/lab-network/port.ts';
import type { ReceivedObservations } from './observation-key.ts';

/**
 * Some laboratories send an addendum alone, under the code of its text. Returns the known observations that such an
 * addendum replaces: the same or the corrected addendum, or an empty list, because it extends the text instead of
 * replacing it. Undefined if there is no addendum on its own.
 */
export function findObservationsRestatedByAddendum(
  before: ReceivedObservations,
  now: ReceivedObservations,
): ReceivedObservations | undefined {
  const known = splitAddenda(before);
  const told = splitAddenda(now);
  if (!known || !told) return undefined;
  if (told.text.length === 0) {
    if (known.text.length === 0 || includesText(now, known.text)) return undefined;
    return haveSameValues(known.addenda, now) || now.every(isChange) ? known.addenda : [];
  }
  // The text itself, received after its addendum.
  return known.text.length === 0 && told.addenda.length === 0 ? [] : undefined;
}

interface AddendumParts {
  readonly text: ReceivedObservations;
  /** From the first line that starts with ADDENDUM on. */
  readonly addenda: ReceivedObservations;
}

const ADDENDUM = /^\W*(addend|supplement)/i;

function splitAddenda(all: ReceivedObservations): AddendumParts | undefined {
  if (!all.every(({ form }) => form === 'text')) return undefined;
  const at = all.findIndex(({ value }) => ADDENDUM.test(value ?? ''));
  if (at < 0) return { text: all, addenda: [] };
  const isNothing = all.slice(0, at).every(isBlankValue);
  return { text: isNothing ? [] : all.slice(0, at), addenda: all.slice(isNothing ? 0 : at) };
}

const isBlankValue = ({ value }: ReceivedObservation): boolean => (value?.trim() ?? '') === '';
const isChange = ({ status }: ReceivedObservation): boolean =>
  status === 'corrected' || status === 'cancelled';

const haveSameValues = (known: ReceivedObservations, now: ReceivedObservations): boolean =>
  known.length === now.length && known.every(({ value }, index) => value === now[index]?.value);

/** Some laboratories repeat the whole text below its addendum; comparing the first lines is enough. */
function includesText(now: ReceivedObservations, text: ReceivedObservations): boolean {
  const all = now.map(({ value }) => value ?? '').join('\n');
  return text
    .filter((one) => !isBlankValue(one))
    .slice(0, 10)
    .every(({ value }) => all.includes(value?.trim() ?? ''));
}
