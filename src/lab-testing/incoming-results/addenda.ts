import type { ReceivedObservation } from '../../adapters/lab-network/port.ts';
import type { Observations } from './same-thing.ts';

/**
 * What of a known text is told anew by an addendum that comes alone, as some laboratories send it under the code of the
 * text: the same addendum, or the one that it corrects, and else nothing, since it adds to the text and does not take
 * its place. Undefined where no addendum comes alone.
 */
export function retoldByAddendum(before: Observations, now: Observations): Observations | undefined {
  const known = partsOf(before);
  const told = partsOf(now);
  if (!known || !told) return undefined;
  if (told.text.length === 0) {
    if (known.text.length === 0 || repeats(now, known.text)) return undefined;
    return isSame(known.addenda, now) || now.every(isChange) ? known.addenda : [];
  }
  // The text itself, after its addendum on the way.
  return known.text.length === 0 && told.addenda.length === 0 ? [] : undefined;
}

interface Parts {
  readonly text: Observations;
  /** From the line that begins with the word. */
  readonly addenda: Observations;
}

const ADDENDUM = /^\W*(addend|supplement)/i;

function partsOf(all: Observations): Parts | undefined {
  if (!all.every(({ form }) => form === 'text')) return undefined;
  const at = all.findIndex(({ value }) => ADDENDUM.test(value ?? ''));
  if (at < 0) return { text: all, addenda: [] };
  const isNothing = all.slice(0, at).every(isBlank);
  return { text: isNothing ? [] : all.slice(0, at), addenda: all.slice(isNothing ? 0 : at) };
}

const isBlank = ({ value }: ReceivedObservation): boolean => (value?.trim() ?? '') === '';
const isChange = ({ status }: ReceivedObservation): boolean =>
  status === 'corrected' || status === 'cancelled';

const isSame = (known: Observations, now: Observations): boolean =>
  known.length === now.length && known.every(({ value }, index) => value === now[index]?.value);

/** Some print the whole text below its addendum; the first lines show it. */
function repeats(now: Observations, text: Observations): boolean {
  const all = now.map(({ value }) => value ?? '').join('\n');
  return text
    .filter((one) => !isBlank(one))
    .slice(0, 10)
    .every(({ value }) => all.includes(value?.trim() ?? ''));
}
