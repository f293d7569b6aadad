import { type Atom, atomsOf } from './atoms.ts';
import { type Draft, wordsOfAtoms } from './drafts.ts';
import { namesAnalyte } from './lexicon/analytes.ts';
import { sentenceShare } from './lexicon/not-results.ts';
import { bare } from './plain.ts';
import type { DecimalSign } from './numbers.ts';
import type { ParsedRow } from './regions.ts';
import { type Row, rowWith, textOf } from './rows.ts';
import type { Word } from './word.ts';

/** Results that a letter tells within a paragraph, and the lines of it, which tell nothing else. */
export interface Told {
  readonly rows: readonly ParsedRow[];
  readonly drafts: readonly Draft[];
}

/** Fewer may be what somebody takes, or what a sentence speaks of. */
const LEAST = 4;

/**
 * "Hb 13,2 g/dL, VCM 88 fL, leucocitos 9.400/µL": the results of a paragraph that begins here, where between two commas
 * nothing stands but what is measured, its number and the unit that laboratories give it.
 */
export function toldFrom(rows: readonly ParsedRow[], index: number, sign: DecimalSign): Told | undefined {
  const first = rows[index];
  if (!first || !mayTell(first.row)) return undefined;
  const paragraph = paragraphFrom(rows, index);
  const drafts: Draft[] = [];
  let heading: string | null = null;
  for (const { words, end } of clausesOf(paragraph)) {
    const item = itemOf(withoutOf(words), sign);
    if (item) drafts.push(draftOf(item, { heading, paragraph }));
    if (end === ':') heading = words.length < 5 ? textOf(words) : null;
  }
  return drafts.length < LEAST ? undefined : { rows: paragraph, drafts };
}

/** Adds what a paragraph tells. What another one told before, of another day perhaps, is doubted in both. */
export function addTold(drafts: Draft[], told: readonly Draft[]): void {
  const keyOf = ({ nameRows }: Draft): string => bare(nameRows.map(textOf).join(' '));
  const isTold = ({ lastRow }: Draft): boolean => lastRow.box.y0 === Number.POSITIVE_INFINITY;
  const before = new Set(drafts.filter(isTold).map(keyOf));
  const again = new Set(told.map(keyOf).filter((key) => before.has(key)));
  const doubted = (draft: Draft): Draft =>
    isTold(draft) && again.has(keyOf(draft)) ? { ...draft, isCut: true } : draft;
  drafts.splice(0, drafts.length, ...[...drafts, ...told].map(doubted));
}

/** A line with several numbers and several commas, in one piece. */
const mayTell = ({ words, segments }: Row): boolean =>
  segments.length === 1 &&
  words.length > 7 &&
  words.filter(({ text }) => /^[<>]?\d/.test(text)).length > 2 &&
  words.filter(({ text }) => /[,;]$/.test(text)).length > 1;

/** The lines that follow as closely as those of a paragraph, from the same margin. */
function paragraphFrom(rows: readonly ParsedRow[], index: number): ParsedRow[] {
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

interface Clause {
  readonly words: readonly Word[];
  /** The sign that it ends with. */
  readonly end: string;
}

/** What stands between commas, colons and stops; a sign within a word or number parts nothing. */
function clausesOf(paragraph: readonly ParsedRow[]): Clause[] {
  const clauses: Clause[] = [];
  let words: Word[] = [];
  const all = paragraph.flatMap(({ row }) => row.words);
  for (const [index, word] of all.entries()) {
    const [, text = '', end = ''] = /^(.*?)([,;:.]?)$/u.exec(word.text) ?? [];
    if (text !== '') words.push({ ...word, text });
    // "Hb: 10.2 g/dL" is one piece.
    if (end === '' || (end === ':' && /^[<>]?\d/.test(all[index + 1]?.text ?? ''))) continue;
    clauses.push({ words, end });
    words = [];
  }
  return [...clauses, { words, end: '' }];
}

/** "BNP of 812 pg/mL" is a BNP. */
const withoutOf = (words: readonly Word[]): Word[] =>
  words.filter(
    ({ text }, index) => !(/^(?:of|=|:)$/.test(text) && /^[<>]?\d/.test(words[index + 1]?.text ?? '')),
  );

interface Item {
  readonly name: readonly Atom[];
  readonly value: Atom;
  readonly unit: readonly Atom[];
  readonly flag: readonly Atom[];
  readonly range: readonly Atom[];
}

/** "(12 - 16)" behind a result is its range. */
const isInBrackets = ({ kind, text }: Atom): boolean =>
  (kind === 'range' || kind === 'compared') && /^[([]/.test(text);

const MOST_WORDS = 9;

/** What is measured, its number and its unit, and nothing else but a flag. */
function itemOf(words: readonly Word[], sign: DecimalSign): Item | undefined {
  if (words.length < 2 || words.length > MOST_WORDS || !words.some(({ text }) => /\d/.test(text)))
    return undefined;
  const atoms = atomsOf(rowWith(words), sign);
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
  if (!value || !isAll || !isKnown || !isOne || !isMeasured(textOf(wordsOfAtoms(name)), unit[0]?.text))
    return undefined;
  return { name, value, unit, flag, range };
}

/** Of the day before, or of what is usual for somebody. */
const OF_OTHER =
  /\b(?:previ\w*|basal|habitual\w*|anterior\w*|baseline|prior|vor\w*|usual\w*|dosis|dose|\w*ziel\w*|target|goal|objecti\w*|obiettiv\w*|objetiv\w*|meta|alvo)\b/;
const WITHOUT_UNIT = /^(?:inr|ph)\b/;
/** How those who write letters shorten what laboratories write out. */
const SHORT = /^(?:cr|glu|gb|gr|plq|leucos?|leukos?|bili|ur|hb)$/;
/** A concentration, a share, a size or a time, but no dose: what somebody takes is told by the day or the kilogram. */
const UNIT_OF_RESULT =
  /^(?:%|f[lL]|pg|s|seg?|secs?|sek|mm)\.?$|\/(?!\s?(?:d|h|kg|24|dia|día|day|tag|jour|giorno|die)\b)/u;

/** Words that join parts of a name, which other words of sentences do not. */
const JOINS = /^(?:of|de|del|di|do|da|der|des|d)$/;

function isMeasured(name: string, unit: string | undefined): boolean {
  const words = bare(name).split(' ');
  if (words.length > 1 && words.some((word) => sentenceShare(word) > 0 && !JOINS.test(word))) return false;
  const isName =
    /^\p{L}/u.test(name) &&
    words.length < 5 &&
    (namesAnalyte(name) || WITHOUT_UNIT.test(bare(name)) || SHORT.test(bare(name)));
  if (!isName || OF_OTHER.test(bare(name))) return false;
  return unit === undefined ? WITHOUT_UNIT.test(bare(name)) : UNIT_OF_RESULT.test(unit);
}

interface Telling {
  readonly heading: string | null;
  readonly paragraph: readonly ParsedRow[];
}

function draftOf({ name, value, unit, flag, range }: Item, { heading, paragraph }: Telling): Draft {
  const rows = paragraph.map(({ row }) => row);
  const [first] = rows;
  const row =
    rows.find(({ words }) => words.some(({ box }) => box.y0 === value.box.y0)) ??
    first ??
    rowWith(value.words);
  return {
    nameRows: [wordsOfAtoms(name)],
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
    // Nothing below a paragraph is more of what it tells.
    lastRow: { ...row, box: { ...row.box, y0: Number.POSITIVE_INFINITY } },
    isCut: false,
    evidence: 3,
    cost: 0,
    hasHeader: false,
  };
}
