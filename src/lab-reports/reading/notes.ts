import type { Reading } from './reading-state.ts';
import type { ParsedRow } from './regions.ts';
import { textOf } from './rows.ts';

/** "Aim by risk: low < 3.0 ; moderate < 2.6 ; high < 1.8": bounds of a line that says of what they are. */
const GRADED = /\p{L}{3}\s?[<>≤≥]=?\s?\d/gu;

/** Whether a line lists what is aimed at: a title with a colon from the margin on, and three bounds by their grades. */
export function listsGrades({ row, atoms, parts }: ParsedRow): boolean {
  const [title] = atoms;
  return (
    title?.kind === 'text' &&
    /\p{L}{3}[^:]*\s[^:]*:\s?\p{L}{3}/u.test(title.text) &&
    parts.value.every(({ kind }) => kind === 'compared') &&
    (textOf(row.words).match(GRADED)?.length ?? 0) > 2
  );
}

/** Behind the word for a comment may stand whose it is: "Nota del medico:", "Comment of the laboratory:". */
const BEGINS =
  /^(?:(?:clinical|laboratory|lab|physician(?:['’]s)?|doctor(?:['’]s)?|[äa]rztlicher?) )?(?:comments?|notes?|remarks?|interpretation|comentarios?|observaci(?:[óo]n|ones)|nota|kommentar|bemerkung(?:en)?|anmerkung(?:en)?|hinweise?|beurteilung|commentaires?|remarques?|commento|commenti|osservazioni|coment[áa]rios?|observaç(?:ão|ões))(?: (?:of|from|by|d\p{Ll}{0,3}|des|vom|von) (?:the |l['’])?\p{L}+)?\s*:\s*\S/iu;

/** "Nota: colheita a menos de": the label of a comment, and what that says. */
export const beginsNote = (text: string): boolean => BEGINS.test(text);

/** Fewer words than this may be a result in words, with the heading of its column before it. */
const LEAST_WORDS = 6;

/**
 * Whether a line is of a comment: what follows a line that begins one, as closely as lines of a paragraph and from the
 * same margin, while the line above is as long. Amounts in it are no results.
 */
export function isOfNote(reading: Reading, parsed: ParsedRow): boolean {
  const { row } = parsed;
  const { note } = reading;
  const isNext =
    note !== null &&
    note.page === row.page &&
    Math.abs(note.box.x0 - row.box.x0) < 2 &&
    note.box.x1 > row.box.x1 - 4 * row.fontSize &&
    row.box.y0 > note.box.y0 &&
    row.box.y0 - note.box.y1 < 0.5 * row.fontSize &&
    row.segments.length === 1 &&
    !isList(parsed);
  const isFirst = BEGINS.test(textOf(row.words)) && row.words.length >= LEAST_WORDS;
  reading.note = (isNext || isFirst) && row.segments.length === 1 ? row : null;
  return isNext;
}

/** "Sodium: 140 mmol/L" and "Sodium 140 mmol/L (136 - 145)" are results, though a comment stands right above them. */
const isList = ({ atoms, parts }: ParsedRow): boolean =>
  parts.value.length > 0 &&
  (atoms[0]?.text.endsWith(':') === true || parts.range.some(({ kind }) => kind === 'range'));
