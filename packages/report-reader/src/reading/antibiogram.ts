import type { Atom } from './atoms.ts';
import { collectWords } from './result-draft.ts';
import { classifyLine } from './line-styles.ts';
import { isOrganism } from './lexicon/qualitative-results.ts';
import { normalizeText } from './text-normalization.ts';
import type { ParsedRow, TableRegion } from './regions.ts';
import type { ReadingState } from './reading-state.ts';
import { joinWords } from './rows.ts';

const ANTIBIOGRAM_TITLE =
  /^\W*(?:(?:antimicrobial|antibiotic) )?(?:antibiogram\w*|susceptib\w*|sensitivit\w*|sensibili[dt]\w*|empfindlichkeit\w*|resisten[zc]\w*|antibiotic\w*|antibiotique\w*|antibiotik\w*|antimicrob\w*|(?:int\w*\s)?m\.?i\.?c\b|mhk|c\.?i\.?m\b|c\.?m\.?i\b)/;
/** A row with a value is a result, whatever its name begins with; an organism may be part of the title. */
const isFinding = ({ kind, text }: Atom): boolean =>
  kind === 'number' || kind === 'compared' || kind === 'range' || (kind === 'quality' && !isOrganism(text));
const GRADE =
  /^(?:[sirn]|sdd|nr|susceptible|resistant|intermediate|sensitive|non[- ]susceptible|sensible|resistente|intermedi[oa]|sensibel|resistent|intermediar|r[eé]sistant|interm[ée]diaire|sensibile|sens[ií]vel|intermedi[áa]rio|empfindlich)$/iu;
const CONCENTRATION = /^\(?(?:[<>≤≥]=?\s*)?\d+(?:[.,]\d+)?(?:\/\d+(?:[.,]\d+)?)?\)?(?:\*+\d*)?$/u;

/**
 * Takes one antibiotic of an antibiogram: its name, optional concentration and grade. It becomes a result of its own
 * whose value is the printed text ("<=4 S") and never a number: the concentration is not a measurement of the patient.
 */
export function takeAntibiotic(reading: ReadingState, parsed: ParsedRow, region: TableRegion): boolean {
  const { row } = parsed;
  const text = joinWords(row.words);
  if (ANTIBIOGRAM_TITLE.test(normalizeText(text)) && row.words.length < 9 && !parsed.atoms.some(isFinding)) {
    reading.antibiogram = findOrganism(reading);
    return true;
  }
  if (reading.antibiogram === null) return false;
  const lines = withoutCultureName(splitIntoLines(toCells(parsed)));
  if (lines.length === 0 || !lines.every(isAntibioticLine)) {
    if (classifyLine(parsed) === 'heading' && !/[=:]/.test(text)) reading.antibiogram = null;
    return false;
  }
  const { antibiogram: panel, section, specimenHint } = reading;
  for (const [name, ...value] of lines)
    reading.drafts.push({
      nameRows: [collectWords(name ? [name] : [])],
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
      isAmbiguous: false,
      hasHeader: region.hasHeader,
    });
  reading.pending = [];
  return true;
}

/** Each entry begins with a name; several may be in one row. */
function splitIntoLines(cells: readonly Atom[]): Atom[][] {
  const lines: Atom[][] = [];
  for (const cell of cells) {
    const isName = !GRADE.test(cell.text) && /\p{L}{3}/u.test(cell.text);
    if (isName || lines.length === 0) lines.push([cell]);
    else lines.at(-1)?.push(cell);
  }
  return lines;
}

/** "S   <=4" is the same as "<=4   S". */
const withGradeLast = (cells: readonly Atom[]): Atom[] => [
  ...cells.filter(({ text }) => !GRADE.test(text)),
  ...cells.filter(({ text }) => GRADE.test(text)),
];

/** The name of the culture may be repeated before its first antibiotic. */
const withoutCultureName = (lines: Atom[][]): Atom[][] =>
  lines.length === 2 && lines[0]?.length === 1 && GROWTH.test(normalizeText(lines[0][0]?.text ?? ''))
    ? lines.slice(1)
    : lines;

const isAntibioticLine = ([name, ...rest]: readonly Atom[]): boolean =>
  name !== undefined &&
  /\p{L}{3}/u.test(name.text) &&
  rest.length > 0 &&
  rest.length < 4 &&
  [rest[0], rest.at(-1)].some((cell) => GRADE.test(cell?.text ?? '')) &&
  rest.every((cell) => CONCENTRATION.test(cell.text.replaceAll(' ', '')) || GRADE.test(cell.text));

const GROWTH = /cult|germ|organism|isolat|keim|erreger|micro|bacter|bakter|batter/;

/** The organism in the row above, else the value of the last culture result, else the current panel. */
function findOrganism({ drafts, panel, pending }: ReadingState): string {
  const above = pending.map(({ words }) => joinWords(words)).findLast(isOrganism);
  const grown = drafts.findLast(
    (draft) =>
      GROWTH.test(normalizeText(joinWords(draft.nameRows.flat()))) &&
      !draft.value.some(({ kind, text }) => kind === 'number' || (kind === 'quality' && !isOrganism(text))),
  );
  return above ?? (grown ? joinWords(collectWords(grown.value)) : (panel ?? ''));
}

/** The segments of a row, each as one text atom. */
function toCells({ row }: ParsedRow): Atom[] {
  return row.segments.map(({ words, box }, segment) => ({
    kind: 'text',
    text: joinWords(words),
    words,
    box,
    segment,
  }));
}
