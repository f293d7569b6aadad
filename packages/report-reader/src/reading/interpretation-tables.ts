import { hasAnalyteWord } from './lexicon/analytes.ts';
import { isGrade } from './lexicon/non-results.ts';
import { isGestational, isScope } from './lexicon/range-scopes.ts';
import type { DecimalSign } from './numbers.ts';
import { findIntervals } from './range-text.ts';
import type { ResultDraft } from './result-draft.ts';
import { type TextRow, groupIntoRows, joinWords } from './rows.ts';
import { isUnit } from './units.ts';
import type { ReportPage } from './report-model.ts';

const WORD = String.raw`(?:comments?|notes?|remarks?|interpretations?|interpretaci[óo]n|interpretaç[ãa]o|interpretazione|interpr[ée]tation|beurteilung|bewertung|kommentar|bemerkung(?:en)?|anmerkung(?:en)?|hinweise?|comentarios?|coment[áa]rios?|observaci(?:[óo]n|ones)|observaç(?:ão|ões)|nota|notas|commentaires?|remarques?|comment[oi]|osservazion[ei])`;
/** "Comment: ADA", "Interpretation:", "Fasting glucose interpretation (ADA):" */
const HEADING = new RegExp(
  String.raw`^${WORD}(?!\p{L})\s*[:.]?|(?<!\p{L})${WORD}(?:\s\([^()]*\))?\s*:?$`,
  'iu',
);
/** "Range   Meaning", "Intervalo   Categoría" */
const COLUMN_HEADINGS =
  /^(?:range|level|interval|value|intervalo|rango|valor|nivel|bereich|wert|intervalle|valeur|valore|intervallo)s? (?:meaning|categor\p{L}+|classification|status|significado|clasificaci[óo]n|bedeutung|signification|significato)$/iu;

const MOST_WORDS = 6;
/** In font sizes: the largest gap between two lines of a table. */
const CLOSE = 1.5;

/** "Weeks of pregnancy | Range", "Semanas | Intervalo" */
const SCOPE_HEADINGS =
  /(?<!\p{L})(?:ranges?|intervals?|reference|intervalos?|rangos?|referencia|refer[êe]ncia|valores|bereich|referenzbereich|intervalles?|intervall[oi]|valori)(?!\p{L})/iu;

/** Whether a row heads a table of ranges by week of pregnancy, which the report does not choose from. */
const isWeekHeading = ({ segments, words }: TextRow): boolean =>
  segments.length > 1 &&
  !/\d/.test(joinWords(words)) &&
  isGestational(joinWords(segments[0]?.words ?? [])) &&
  SCOPE_HEADINGS.test(joinWords(segments.slice(1).flatMap((segment) => segment.words)));

/** The lines of a table that explains results, below a result. */
interface InterpretationTable {
  readonly page: number;
  readonly y0: number;
  readonly lines: readonly string[];
  /** It has ranges by week of pregnancy: which one applies is not known. */
  readonly isOfWeeks: boolean;
}

/**
 * Takes out tables that explain a result, such as "70-100 mg/dL | Normal" under "Comment:". Their intervals are not
 * reference ranges, and their lines not results.
 */
export function withoutInterpretationTables(
  page: ReportPage,
  sign: DecimalSign,
): { page: ReportPage; tables: InterpretationTable[] } {
  const rows = groupIntoRows(page.words);
  const tables: TextRow[][] = [];
  rows.forEach((row, index) => {
    if (!(isTableHeading(row) || isWeekHeading(row)) || tables.at(-1)?.includes(row)) return;
    const lines = findLines(rows, index, sign);
    if (lines.length > 0) tables.push(lines);
  });
  const taken = new Set(tables.flatMap((lines) => lines.flatMap(({ words }) => words)));
  return {
    page: taken.size === 0 ? page : { ...page, words: page.words.filter((word) => !taken.has(word)) },
    tables: tables.map((lines) => ({
      page: lines[0]?.page ?? 0,
      y0: lines[0]?.box.y0 ?? 0,
      lines: lines.map(toText),
      isOfWeeks: lines.some(isWeekHeading),
    })),
  };
}

/** Adds the lines of the tables to the notes of the results above them. */
export function addInterpretations(
  drafts: readonly ResultDraft[],
  tables: readonly InterpretationTable[],
): void {
  for (const { page, y0, lines, isOfWeeks } of tables) {
    const above = drafts
      .filter(({ row }) => row.page === page && row.box.y0 < y0)
      .toSorted((a, b) => a.row.box.y0 - b.row.box.y0);
    const draft = above.at(-1);
    draft?.notes.push(...lines);
    if (draft && isOfWeeks) draft.isAmbiguous = true;
  }
}

const toText = ({ words }: TextRow): string =>
  joinWords(words)
    .replaceAll(/\s*\|\s*/g, ' ')
    .trim();

const isTableHeading = (row: TextRow): boolean => {
  const text = toText(row);
  return HEADING.test(text) || COLUMN_HEADINGS.test(text);
};

/** The rows below a heading that each have one interval and what it means, with headings of their columns. */
function findLines(rows: readonly TextRow[], heading: number, sign: DecimalSign): TextRow[] {
  const lines: TextRow[] = [];
  const head = rows[heading];
  let above = head;
  for (const row of rows.slice(heading + 1)) {
    if (!above || row.box.y0 - above.box.y1 > CLOSE * row.fontSize) break;
    const isLine = isWeekHeading(head ?? row) ? isWeekLine(row, sign) : isExplanation(toText(row), sign);
    if (!isLine && !(lines.length === 0 && COLUMN_HEADINGS.test(toText(row)))) break;
    lines.push(row);
    above = row;
  }
  const hasInterval = lines.some((row) => findIntervals(toText(row), sign).length > 0);
  // Left alone, "Glucose   Interpretation" would be a result in words, and "Comment" more of the name above it.
  return head && hasInterval ? [head, ...lines] : [];
}

/** "3 | 5 - 71", "4 - 5 weeks | 10 - 750": a week, or a part of pregnancy, before one interval in another cell. */
function isWeekLine({ segments }: TextRow, sign: DecimalSign): boolean {
  const [week = '', range = '', ...others] = segments.map(({ words }) => joinWords(words));
  const isWeek = /^\d{1,2}(?:\s?[-–a+]\s?\d{1,2})?(?:\s?\D+)?$/u.test(week) || isGestational(week);
  const [interval, ...more] = findIntervals(range, sign);
  return isWeek && others.length === 0 && interval !== undefined && interval.begin === 0 && more.length === 0;
}

/** "70-100 mg/dL Normal", "Deficient < 20 ng/mL": one interval, its unit, and words that are not the name of a test. */
function isExplanation(text: string, sign: DecimalSign): boolean {
  const [interval, ...others] = findIntervals(text, sign);
  if (!interval || others.length > 0) return false;
  const before = text.slice(0, interval.begin).trim();
  const words = text.slice(interval.end).trim().split(/\s+/);
  const meaning = words.filter((word) => word !== '' && !isUnit(word)).join(' ');
  const all = `${before} ${meaning}`.trim();
  if (!/\p{L}{3}/u.test(all) || /\d/.test(all) || all.split(' ').length > MOST_WORDS) return false;
  if (before === '') return true;
  const label = before.replace(/\s*:$/, '');
  if (isGrade(label) || isScope(label)) return true;
  const isTwoSided = interval.interval.min !== null && interval.interval.max !== null;
  return isTwoSided && meaning === '' && !hasAnalyteWord(label);
}
