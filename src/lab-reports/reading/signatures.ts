import { isLearnedTitle } from './lexicon/persons.ts';
import type { Row } from './rows.ts';

/** Before the title of who signs stands no more than what that person is. */
const MOST_BEFORE = 4;

/** "Il Direttore: Dott. C. Vizzini": a line that begins with a learned title before a name is of nobody's range. */
export const isSigned = ({ words }: Row): boolean =>
  words
    .slice(0, MOST_BEFORE)
    .some(({ text }, index) => isLearnedTitle(text) && /^\p{Lu}/u.test(words[index + 1]?.text ?? ''));
