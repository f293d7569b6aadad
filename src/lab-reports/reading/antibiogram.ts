import type { Atom } from './atoms.ts';
import { wordsOfAtoms } from './drafts.ts';
import { headingStyle } from './headings.ts';
import { isOrganism } from './lexicon/qualities.ts';
import { plain } from './plain.ts';
import type { ParsedRow, Region } from './regions.ts';
import type { Reading } from './reading-state.ts';
import { textOf } from './rows.ts';

const BEGINS =
  /^\W*(?:(?:antimicrobial|antibiotic) )?(?:antibiogram\w*|susceptib\w*|sensitivit\w*|sensibili[dt]\w*|empfindlichkeit\w*|resisten[zc]\w*|antibiotic\w*|antibiotique\w*|antibiotik\w*|antimicrob\w*|(?:int\w*\s)?m\.?i\.?c\b|mhk|c\.?i\.?m\b|c\.?m\.?i\b)/;
/** A line with a finding is a result, whatever its name begins with; what grew may stand in the heading. */
const isFinding = ({ kind, text }: Atom): boolean =>
  kind === 'number' || kind === 'compared' || kind === 'range' || (kind === 'quality' && !isOrganism(text));
const GRADE =
  /^(?:[sirn]|sdd|nr|susceptible|resistant|intermediate|sensitive|non[- ]susceptible|sensible|resistente|intermedi[oa]|sensibel|resistent|intermediar|r[eé]sistant|interm[ée]diaire|sensibile|sens[ií]vel|intermedi[áa]rio|empfindlich)$/iu;
const CONCENTRATION = /^\(?(?:[<>≤≥]=?\s*)?\d+(?:[.,]\d+)?(?:\/\d+(?:[.,]\d+)?)?\)?(?:\*+\d*)?$/u;

/**
 * One antibiotic of what grew: its name, the concentration where there is one, and how it works. It becomes a line of
 * its own, whose value is what is printed ("<=4 S") and never a number: the concentration is no finding of a patient.
 */
export function takeAntibiotic(reading: Reading, parsed: ParsedRow, region: Region): boolean {
  const { row } = parsed;
  const text = textOf(row.words);
  if (BEGINS.test(plain(text)) && row.words.length < 9 && !parsed.atoms.some(isFinding)) {
    reading.antibiogram = organismOf(reading);
    return true;
  }
  if (reading.antibiogram === null) return false;
  const lines = withoutCulture(linesOf(cellsOf(parsed)));
  if (lines.length === 0 || !lines.every(isLine)) {
    if (headingStyle(parsed) === 'heading' && !/[=:]/.test(text)) reading.antibiogram = null;
    return false;
  }
  const { antibiogram: panel, section, specimenHint } = reading;
  for (const [name, ...value] of lines)
    reading.drafts.push({
      nameRows: [wordsOfAtoms(name ? [name] : [])],
      value: withGradeLast(value),
      flag: [],
      unit: [],
      range: [],
      method: [],
      notes: [],
      panel,
      section,
      specimenHint,
      row,
      lastRow: row,
      evidence: 4,
      cost: parsed.cost,
      isCut: false,
      hasHeader: region.hasHeader,
    });
  reading.pending = [];
  return true;
}

/** Each begins with a name; several may stand beside each other. */
function linesOf(cells: readonly Atom[]): Atom[][] {
  const lines: Atom[][] = [];
  for (const cell of cells) {
    const isName = !GRADE.test(cell.text) && /\p{L}{3}/u.test(cell.text);
    if (isName || lines.length === 0) lines.push([cell]);
    else lines.at(-1)?.push(cell);
  }
  return lines;
}

/** "S   <=4" says the same as "<=4   S". */
const withGradeLast = (cells: readonly Atom[]): Atom[] => [
  ...cells.filter(({ text }) => !GRADE.test(text)),
  ...cells.filter(({ text }) => GRADE.test(text)),
];

/** The name of the culture may stand once more before its first antibiotic. */
const withoutCulture = (lines: Atom[][]): Atom[][] =>
  lines.length === 2 && lines[0]?.length === 1 && GROWTH.test(plain(lines[0][0]?.text ?? ''))
    ? lines.slice(1)
    : lines;

const isLine = ([name, ...rest]: readonly Atom[]): boolean =>
  name !== undefined &&
  /\p{L}{3}/u.test(name.text) &&
  rest.length > 0 &&
  rest.length < 4 &&
  [rest[0], rest.at(-1)].some((cell) => GRADE.test(cell?.text ?? '')) &&
  rest.every((cell) => CONCENTRATION.test(cell.text.replaceAll(' ', '')) || GRADE.test(cell.text));

const GROWTH = /cult|germ|organism|isolat|keim|erreger|micro|bacter|bakter|batter/;

/** The organism in the line above, else what the last line about something that grew says; else our heading. */
function organismOf({ drafts, panel, pending }: Reading): string {
  const above = pending.map(({ words }) => textOf(words)).findLast(isOrganism);
  const grown = drafts.findLast(
    (draft) =>
      GROWTH.test(plain(textOf(draft.nameRows.flat()))) &&
      !draft.value.some(({ kind, text }) => kind === 'number' || (kind === 'quality' && !isOrganism(text))),
  );
  return above ?? (grown ? textOf(wordsOfAtoms(grown.value)) : (panel ?? ''));
}

/** The segments of a line as pieces of one kind. */
function cellsOf({ row }: ParsedRow): Atom[] {
  return row.segments.map(({ words, box }, segment) => ({
    kind: 'text',
    text: textOf(words),
    words,
    box,
    segment,
  }));
}
