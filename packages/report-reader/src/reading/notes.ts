import type { ReadingState } from './reading-state.ts';
import type { ParsedRow } from './regions.ts';
import { joinWords } from './rows.ts';

/** "Aim by risk: low < 3.0 ; moderate < 2.6 ; high < 1.8": bounds, each with its grade. */
const GRADED = /\p{L}{3}\s?[<>≤≥]=?\s?\d/gu;

/** Whether a row lists targets: a title with a colon from the margin on, and at least three graded bounds. */
export function isGradeList({ row, atoms, parts }: ParsedRow): boolean {
  const [title] = atoms;
  return (
    title?.kind === 'text' &&
    /\p{L}{3}[^:]*\s[^:]*:\s?\p{L}{3}/u.test(title.text) &&
    parts.value.every(({ kind }) => kind === 'compared') &&
    (joinWords(row.words).match(GRADED)?.length ?? 0) > 2
  );
}

/** The word for a comment may be followed by its author: "Nota del medico:", "Comment of the laboratory:". */
const BEGINS =
  /^(?:(?:clinical|laboratory|lab|physician(?:['’]s)?|doctor(?:['’]s)?|[äa]rztlicher?) )?(?:comments?|notes?|remarks?|interpretation|comentarios?|observaci(?:[óo]n|ones)|nota|kommentar|bemerkung(?:en)?|anmerkung(?:en)?|hinweise?|beurteilung|commentaires?|remarques?|commento|commenti|osservazioni|coment[áa]rios?|observaç(?:ão|ões))(?: (?:of|from|by|d\p{Ll}{0,3}|des|vom|von) (?:the |l['’])?\p{L}+)?\s*:\s*\S/iu;

/** "Nota: colheita a menos de": a comment label with its text. */
export const isNoteStart = (text: string): boolean => BEGINS.test(text);

/** Fewer words may be a result in words after its column heading. */
const LEAST_WORDS = 6;

/**
 * Whether a row continues a comment: it follows at paragraph distance from the same margin, and the row above is as
 * long. Amounts in it are not results. Updates `reading.note`.
 */
export function takeNoteLine(reading: ReadingState, parsed: ParsedRow): boolean {
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
    !isResultLine(parsed);
  const isFirst = BEGINS.test(joinWords(row.words)) && row.words.length >= LEAST_WORDS;
  reading.note = (isNext || isFirst) && row.segments.length === 1 ? row : null;
  return isNext;
}

/** "Sodium: 140 mmol/L" and "Sodium 140 mmol/L (136 - 145)" are results, even right below a comment. */
const isResultLine = ({ atoms, parts }: ParsedRow): boolean =>
  parts.value.length > 0 &&
  (atoms[0]?.text.endsWith(':') === true || parts.range.some(({ kind }) => kind === 'range'));
