import { type Atom, tokenizeRow } from './atoms.ts';
import { type ResultDraft, collectWords } from './result-draft.ts';
import { hasAnalyteWord } from './lexicon/analytes.ts';
import { measureSentenceShare } from './lexicon/non-results.ts';
import { normalizeWords } from './text-normalization.ts';
import type { DecimalSign } from './numbers.ts';
import type { ParsedRow } from './regions.ts';
import { type TextRow, toSingleRow, joinWords } from './rows.ts';
import type { ReportWord } from './report-model.ts';

/** Results within a paragraph of a letter, with the rows of that paragraph. */
interface InlineResults {
  readonly rows: readonly ParsedRow[];
  readonly drafts: readonly ResultDraft[];
}

/** Fewer may be medication doses or values that a sentence mentions. */
const LEAST = 4;

/**
 * "Hb 13,2 g/dL, VCM 88 fL, leucocitos 9.400/µL": finds the results of a paragraph that begins here. Each clause holds
 * only an analyte, its number and a laboratory unit.
 */
export function findInlineResults(
  rows: readonly ParsedRow[],
  index: number,
  sign: DecimalSign,
): InlineResults | undefined {
  const first = rows[index];
  if (!first || !hasResultForm(first.row)) return undefined;
  const paragraph = findParagraph(rows, index);
  const drafts: ResultDraft[] = [];
  let heading: string | null = null;
  for (const { words, end } of splitClauses(paragraph)) {
    const item = parseInlineResult(withoutConnectors(words), sign);
    if (item) drafts.push(buildDraft(item, { heading, paragraph }));
    if (end === ':') heading = words.length < 5 ? joinWords(words) : null;
  }
  return drafts.length < LEAST ? undefined : { rows: paragraph, drafts };
}

/** Adds the results of a paragraph. Results that another paragraph has too are marked as ambiguous in both. */
export function addInlineResults(drafts: ResultDraft[], told: readonly ResultDraft[]): void {
  const keyOf = ({ nameRows }: ResultDraft): string => normalizeWords(nameRows.map(joinWords).join(' '));
  const isTold = ({ lastRow }: ResultDraft): boolean => lastRow.box.y0 === Number.POSITIVE_INFINITY;
  const before = new Set(drafts.filter(isTold).map(keyOf));
  const again = new Set(told.map(keyOf).filter((key) => before.has(key)));
  const doubted = (draft: ResultDraft): ResultDraft =>
    isTold(draft) && again.has(keyOf(draft)) ? { ...draft, isAmbiguous: true } : draft;
  drafts.splice(0, drafts.length, ...[...drafts, ...told].map(doubted));
}

/** A row with several numbers and commas, in one segment. */
const hasResultForm = ({ words, segments }: TextRow): boolean =>
  segments.length === 1 &&
  words.length > 7 &&
  words.filter(({ text }) => /^[<>]?\d/.test(text)).length > 2 &&
  words.filter(({ text }) => /[,;]$/.test(text)).length > 1;

/** The rows that follow at paragraph distance from the same margin. */
function findParagraph(rows: readonly ParsedRow[], index: number): ParsedRow[] {
  const lines: ParsedRow[] = [];
  for (const parsed of rows.slice(index)) {
    const above = lines.at(-1)?.row;
    const { row } = parsed;
    const isNext =
      above === undefined ||
      (row.segments.length === 1 &&
        Math.abs(row.box.x0 - above.box.x0) < 2 &&
        row.box.y0 - above.box.y1 < 0.8 * row.fontSize);
    if (!isNext) break;
    lines.push(parsed);
  }
  return lines;
}

interface TextClause {
  readonly words: readonly ReportWord[];
  /** The punctuation mark at its end. */
  readonly end: string;
}

/** Splits at commas, colons and periods; punctuation within a word or number does not split. */
function splitClauses(paragraph: readonly ParsedRow[]): TextClause[] {
  const clauses: TextClause[] = [];
  let words: ReportWord[] = [];
  const all = paragraph.flatMap(({ row }) => row.words);
  for (const [index, word] of all.entries()) {
    const [, text = '', end = ''] = /^(.*?)([,;:.]?)$/u.exec(word.text) ?? [];
    if (text !== '') words.push({ ...word, text });
    // "Hb: 10.2 g/dL" is one clause.
    if (end === '' || (end === ':' && /^[<>]?\d/.test(all[index + 1]?.text ?? ''))) continue;
    clauses.push({ words, end });
    words = [];
  }
  return [...clauses, { words, end: '' }];
}

/** "BNP of 812 pg/mL" is a BNP. */
const withoutConnectors = (words: readonly ReportWord[]): ReportWord[] =>
  words.filter(
    ({ text }, index) => !(/^(?:of|=|:)$/.test(text) && /^[<>]?\d/.test(words[index + 1]?.text ?? '')),
  );

interface InlineResult {
  readonly name: readonly Atom[];
  readonly value: Atom;
  readonly unit: readonly Atom[];
  readonly flag: readonly Atom[];
  readonly range: readonly Atom[];
}

/** "(12 - 16)" after a result is its range. */
const isInBrackets = ({ kind, text }: Atom): boolean =>
  (kind === 'range' || kind === 'compared') && /^[([]/.test(text);

const MOST_WORDS = 9;

/** An analyte with its number, unit, flag and range, and nothing else. */
function parseInlineResult(words: readonly ReportWord[], sign: DecimalSign): InlineResult | undefined {
  if (words.length < 2 || words.length > MOST_WORDS || !words.some(({ text }) => /\d/.test(text)))
    return undefined;
  const atoms = tokenizeRow(toSingleRow(words), sign);
  const at = atoms.findIndex(({ kind }) => kind === 'number' || kind === 'compared');
  const [value, name] = [atoms[at], atoms.slice(0, at)];
  const behind = atoms.slice(at + 1);
  const unit = behind.filter(({ kind }) => kind === 'unit');
  const flag = behind.filter(({ kind }) => kind === 'flag');
  const range = behind.filter(isInBrackets);
  const isAll = [unit, flag, range].every(({ length }) => length < 2);
  const isKnown = unit.length + flag.length + range.length === behind.length;
  // "GB 12 300": a number before the number may be half of it.
  const isOne = name.every(({ kind }) => kind !== 'number' && kind !== 'compared' && kind !== 'range');
  if (!value || !isAll || !isKnown || !isOne || !isMeasuredName(joinWords(collectWords(name)), unit[0]?.text))
    return undefined;
  return { name, value, unit, flag, range };
}

/** Values of another day, usual values and targets. */
const OTHER_VALUE =
  /\b(?:previ\w*|basal|habitual\w*|anterior\w*|baseline|prior|vor\w*|usual\w*|dosis|dose|\w*ziel\w*|target|goal|objecti\w*|obiettiv\w*|objetiv\w*|meta|alvo)\b/;
const WITHOUT_UNIT = /^(?:inr|ph)\b/;
/** Abbreviations that letters use for analyte names. */
const ABBREVIATION = /^(?:cr|glu|gb|gr|plq|leucos?|leukos?|bili|ur|hb)$/;
/** A concentration, share, size or time, but not a dose: doses are per day or per kilogram. */
const UNIT_OF_RESULT =
  /^(?:%|f[lL]|pg|s|seg?|secs?|sek|mm)\.?$|\/(?!\s?(?:d|h|kg|24|dia|día|day|tag|jour|giorno|die)\b)/u;

/** Words that join parts of a name; other function words belong to sentences. */
const JOINS = /^(?:of|de|del|di|do|da|der|des|d)$/;

function isMeasuredName(name: string, unit: string | undefined): boolean {
  const words = normalizeWords(name).split(' ');
  if (words.length > 1 && words.some((word) => measureSentenceShare(word) > 0 && !JOINS.test(word)))
    return false;
  const isName =
    /^\p{L}/u.test(name) &&
    words.length < 5 &&
    (hasAnalyteWord(name) ||
      WITHOUT_UNIT.test(normalizeWords(name)) ||
      ABBREVIATION.test(normalizeWords(name)));
  if (!isName || OTHER_VALUE.test(normalizeWords(name))) return false;
  return unit === undefined ? WITHOUT_UNIT.test(normalizeWords(name)) : UNIT_OF_RESULT.test(unit);
}

interface ParagraphContext {
  readonly heading: string | null;
  readonly paragraph: readonly ParsedRow[];
}

function buildDraft(
  { name, value, unit, flag, range }: InlineResult,
  { heading, paragraph }: ParagraphContext,
): ResultDraft {
  const rows = paragraph.map(({ row }) => row);
  const [first] = rows;
  const row =
    rows.find(({ words }) => words.some(({ box }) => box.y0 === value.box.y0)) ??
    first ??
    toSingleRow(value.words);
  return {
    nameRows: [collectWords(name)],
    value: [value],
    flag: [...flag],
    unit: [...unit],
    range: range.length > 0 ? [[...range]] : [],
    method: [],
    notes: [],
    panel: heading,
    section: null,
    specimenHint: null,
    row,
    // Nothing below a paragraph continues its results.
    lastRow: { ...row, box: { ...row.box, y0: Number.POSITIVE_INFINITY } },
    isAmbiguous: false,
    evidence: 3,
    cost: 0,
    hasHeader: false,
  };
}
