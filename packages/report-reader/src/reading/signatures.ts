import { isAcademicTitle } from './lexicon/persons.ts';
import type { TextRow } from './rows.ts';

/** At most this many words, such as a job title, precede the title of a signer. */
const MOST_BEFORE = 4;

/** "Il Direttore: Dott. C. Vizzini": a row that begins with an academic title and a name is not part of a range. */
export const isSignatureLine = ({ words }: TextRow): boolean =>
  words
    .slice(0, MOST_BEFORE)
    .some(({ text }, index) => isAcademicTitle(text) && /^\p{Lu}/u.test(words[index + 1]?.text ?? ''));
