import type { Atom } from './atoms.ts';
import { measureGapTo, type ReportColumn } from './columns.ts';
import { dateLength } from './dates.ts';
import { joinAtomText } from './result-draft.ts';
import { hasAnalyteWord } from './lexicon/analytes.ts';
import { scoreFinding, findFinding } from './findings.ts';
import { matchHeaderField } from './lexicon/header-labels.ts';
import {
  isGrade,
  isHeaderLabel,
  EARLIER_RESULT_PHRASE,
  RANGE_PHRASE,
  measureSentenceShare,
  measureNameSentenceShare,
} from './lexicon/non-results.ts';
import { isBloodGroupName } from './lexicon/qualitative-results.ts';
import { scoreNonName } from './non-names.ts';
import { isIdentifierRange, scoreNonResult } from './non-results.ts';
import { OPEN_NAME_PENALTY, hasUnclosedBracket } from './open-names.ts';
import { normalizeWords } from './text-normalization.ts';
import type { ParsedRow } from './regions.ts';
import { EQUIVALENCE_PHRASE } from './unit-systems.ts';
import { isTableCell, isDateAtom, scoreValue } from './value-evidence.ts';
import { uniteBoxes } from './report-model.ts';

/** Minimum score for a row to be a result. */
export const MIN_EVIDENCE = 2;

/** A row whose roles cost more than this is not a table row. */
const MOST_COST = 14;

interface ResultCandidate {
  readonly name: string;
  readonly parsed: ParsedRow;
  readonly columns: readonly ReportColumn[];
  readonly hasHeader: boolean;
  /** Whether its words align with the cells of a table. */
  readonly isInCells: boolean;
}

/** Scores how likely a row is a result with this name; below MIN_EVIDENCE it is not. */
export function scoreEvidence({ name, parsed, columns, hasHeader, isInCells }: ResultCandidate): number {
  const first = findFinding(parsed) ?? parsed.parts.value[0];
  if (!first || !/\p{L}/u.test(name)) return -9;
  const value = {
    ...first,
    text: joinAtomText(parsed.parts.value),
    box: isInOwnCell(parsed) ? uniteBoxes(parsed.parts.value.map(({ box }) => box)) : first.box,
  };
  return (
    (isPatientLine(parsed) || isHeaderField(parsed) ? -6 : 0) +
    (isAddressPart(name, value.text, parsed) ? -3 : 0) +
    (parsed.cost > MOST_COST ? -3 : 0) +
    scoreProse(parsed) +
    scoreNonResult(parsed) +
    scoreRunningText(parsed) +
    scoreName(name, hasHeader && isRowOfTable(parsed, columns)) +
    scoreNonName({ name, value, hasNeighbors: scoreNeighbors(parsed) > 0, parsed }) +
    scoreValue(value, {
      isInCell: isInCells || isTableCell({ value, parsed, columns, hasHeader }),
      hasUnit: parsed.parts.unit.length > 0,
      mayBeSentence: isInCells && hasAnalyteWord(name),
    }) +
    scoreNeighbors(parsed) +
    (findRemarks(parsed, columns).length > 0 ? 1 : 0) +
    (parsed.parts.unit.length === 0 && findHeadingUnit(value, columns) !== undefined ? 1.6 : 0) +
    scoreFinding(parsed) +
    (value.kind === 'flag' && /^(?:A|B|AB)$/.test(value.text) && isBloodGroupName(name) ? 1.4 : 0) +
    scorePosition(value, { columns, hasHeader, parsed, isInCells })
  );
}

/** Street addresses, tax numbers and signers. */
const ADDRESS =
  /\p{Ll}stra(?:ss|ß)e$|\b(?:calle|carrera|avda|avenida|stra(?:ss|ß)e|rue|rua|nit|cuit|abn|nif|cnpj|siret)\b|^(?:dr|dra|prof|d\.?ssa)\.\s/iu;

/** Words right after the name, without a gap, may be a sentence; they are in no column. */
const isInOwnCell = ({ parts }: ParsedRow): boolean => parts.value[0]?.segment !== parts.name.at(-1)?.segment;

/** A row with a date of birth describes the patient. */
const isPatientLine = ({ row }: ParsedRow): boolean => {
  const texts = row.words.map((word) => word.text);
  return texts.some((_, at) => {
    const label = matchHeaderField(texts, at);
    return label?.field === 'dob' && dateLength(texts, at + label.count) > 0;
  });
};

/** A header label followed by a gap, or an age in years next to a date. */
const isHeaderField = ({ parts, atoms }: ParsedRow): boolean => {
  const [label, other] = parts.name;
  const isLabel = label && other && other.segment !== label.segment && isHeaderLabel(label.text);
  return isLabel === true || (YEARS.test(joinAtomText(parts.unit)) && atoms.some(isDateAtom));
};

const YEARS = /^(?:years?|yrs|a[nñ]os|ans|jahre|anni|anos)$/iu;

/** "Total volume   1840   mL" belongs to the report header, unless each atom is below its own heading. */
const isRowOfTable = ({ parts, row }: ParsedRow, columns: readonly ReportColumn[]): boolean =>
  row.segments.length === 3 &&
  parts.value[0]?.kind === 'number' &&
  parts.unit[0] !== undefined &&
  !BODY_UNIT.test(joinAtomText(parts.unit)) &&
  (['name', 'value', 'unit'] as const).every((role) =>
    columns.some(
      (column) => column.role === role && parts[role].some(({ box }) => measureGapTo(column, box) === 0),
    ),
  );

const BODY_UNIT = /^(?:kg|cm|m|lbs?|in|ft|years?|yrs|a[nñ]os|ans|jahre|anni|anos)\.?$/iu;

/** "Norfolk, VA" before "23510", "Department of Haematology, Level" before "3". */
const isAddressPart = (name: string, value: string, { parts }: ParsedRow): boolean =>
  (/\p{L}{3},?\s[A-Z]{2}$/u.test(name) && /^\d{5}$/.test(value)) ||
  (/,\s(?:level|floor|suite|room|piso|[ée]tage|piano|andar|stock)$/iu.test(name) &&
    /^\d{1,3}$/.test(value) &&
    parts.unit.length + parts.range.length === 0);

/** A row below "Sex   Age   Number" begins with one of these. */
const SEX_WORD =
  /^(?:male|female|var[óo]n|hembra|mujer|hombre|masculin[oe]?|femenin[oa]|feminin[oa]?|f[ée]minin|m[äa]nnlich|weiblich|maschio|femmina|homme|femme)$/iu;

function scoreName(name: string, isInTable: boolean): number {
  const words = normalizeWords(name).split(' ');
  const label = name.replace(/\s*[:.]+\s*$/, '');
  if (!isInTable && (isHeaderLabel(label) || isHeaderLabel(label.split(/[:(]/)[0] ?? ''))) return -6;
  if (isGrade(label) || (name.includes(':') && isGrade(label.split(':')[0] ?? ''))) return -6;
  if (SEX_WORD.test(label)) return -6;
  const known = hasAnalyteWord(name) ? 1.6 : 0;
  const length = words.length > 12 ? -4 : words.length > 8 ? -1.2 : 0;
  const sentence =
    words.length > 3 && measureNameSentenceShare(name) > (words.length > 5 ? 0.32 : 0.34) ? -3 : 0;
  const prose = /[.;]\s+\p{Lu}|[,.;]$/u.test(name.trim()) && words.length > 4 ? -1 : 0;
  const short = words.join('').length < 2 ? -1.5 : 0;
  const isMutation = /^\p{Lu}\d{1,4}\p{Lu}$/u.test(name);
  const digits = (name.match(/\d/g)?.length ?? 0) > name.length / 2 && !isMutation ? -3 : 0;
  const legend = RANGE_PHRASE.test(name)
    ? -4
    : EARLIER_RESULT_PHRASE.test(name) || EQUIVALENCE_PHRASE.test(words.join(' '))
      ? -6
      : 0;
  const clause = /\p{L}{3}:\s\p{L}/u.test(name) ? -1.5 : 0;
  const unitFirst = /^(?:mg|g|ng|pg|mmol|nmol|[uµ]g)\//.test(name) ? -3 : 0;
  const address =
    /https?:|www\.|@|\bpage\b|\bsuite\b|©|\bISO\b|\bp\.?o\.? box\b|\bend of (?:the )?report\b/i.test(name)
      ? -5
      : ADDRESS.test(name) || /^[<>≤≥]\s*\d/u.test(name)
        ? -3
        : 0;
  const bounds = words.length > 4 && /\p{L}\s[<>≤≥]=?\s?\d/u.test(name) ? -3 : 0;
  const isCut = hasUnclosedBracket(name) ? -OPEN_NAME_PENALTY : 0;
  const goesOn =
    /^\p{Ll}{2}/u.test(name) && words.length > 3 ? (measureSentenceShare(words[0] ?? '') > 0 ? -3 : -1.5) : 0;
  return (
    isCut +
    bounds +
    goesOn +
    legend +
    known +
    length +
    sentence +
    prose +
    short +
    digits +
    clause +
    unitFirst +
    address
  );
}

const SENTENCE_END = /[\p{L})][.]\s+\p{Lu}\p{L}+/gu;

/** Legends and sentences have more numbers and words than a result has fields. */
function scoreProse({ parts, atoms }: ParsedRow): number {
  const numbers = parts.skip.filter(
    ({ kind }) => kind === 'range' || kind === 'compared' || kind === 'number',
  ).length;
  const words = parts.skip.reduce((sum, atom) => sum + (atom.kind === 'text' ? atom.words.length : 0), 0);
  const grades = atoms.filter(
    (atom) =>
      atom.kind !== 'range' &&
      !parts.value.includes(atom) &&
      !parts.range.includes(atom) &&
      !parts.previous.includes(atom) &&
      /\p{L}{3}/u.test(atom.text) &&
      isGrade(atom.text.replace(/^.*?(?=\p{L}+\s*:?$)/u, '')),
  ).length;
  const legend = atoms.filter(({ words: own }) => own.some(({ text }) => text === '=')).length;
  const isOneRun = atoms.every(
    ({ segment, labelRole }) => segment === atoms[0]?.segment && labelRole === undefined,
  );
  const ends =
    atoms
      .map(({ text }) => text)
      .join(' ')
      .match(SENTENCE_END)?.length ?? 0;
  const isSentence = isOneRun && (ends > 1 || parts.skip.filter(({ kind }) => kind === 'text').length > 1);
  return (
    (isSentence ? -3 : 0) +
    (legend > 1 ? -3 : 0) +
    (numbers > 1 ? -2.5 : 0) +
    (words > 4 ? -1.5 : 0) +
    (grades > 2 ? -2 : 0)
  );
}

/** Words and numbers within running text, without a gap between the value and its neighbors. */
function scoreRunningText({ parts, atoms, cost }: ParsedRow): number {
  const first = atoms.indexOf(parts.value[0] ?? NO_ATOM);
  const value = atoms[first];
  const next = atoms[first + parts.value.length];
  const after =
    next?.kind === 'quality' && !parts.range.includes(next) ? atoms[atoms.indexOf(next) + 1] : next;
  const before = atoms.slice(0, first).findLast(({ kind }) => kind !== 'blank');
  if (!value) return 0;
  const isProse = (other: Atom | undefined): boolean =>
    other?.kind === 'text' && other.segment === value.segment && /\p{L}{2}[\p{L}\s,.-]*$/u.test(other.text);
  const length = isProse(after) ? (after?.words.length ?? 0) : 0;
  const goesOn = /\p{Ll}[.;]\s+\p{Lu}/u.test(after?.text ?? '');
  const words = parts.range.includes(after ?? NO_ATOM) && length < 4 && !goesOn ? 0 : length;
  if (value.kind === 'text') return isProse(before) || cost > 9 || isLongWithin(parts) ? -3 : 0;
  if (words > 1 && parts.name[0] && parts.name[0].box.x0 > value.box.x0) return -3;
  const isSentence = words > 3 || (words > 0 && (isProse(before) || value.kind === 'quality'));
  return isSentence && !value.labelRole ? -3.5 : 0;
}

/** Whether value and name are one segment, so that both are halves of a sentence. */
const isLongWithin = ({ name, value }: ParsedRow['parts']): boolean => {
  const text = joinAtomText(value);
  return (
    value[0]?.segment === name.at(-1)?.segment &&
    text.split(' ').length > 5 &&
    measureSentenceShare(text) > 0.2
  );
};

const NO_ATOM: Atom = {
  kind: 'blank',
  text: '',
  words: [],
  box: { x0: 0, x1: 0, y0: 0, y1: 0 },
  segment: -1,
};

function scoreNeighbors({ parts }: ParsedRow): number {
  const unit = parts.unit.length > 0 ? 1.6 : 0;
  const range = parts.range.some(({ kind, text }) => kind !== 'text' && !isIdentifierRange(text)) ? 1.6 : 0;
  const flag = parts.flag.length > 0 ? 0.8 : 0;
  const said = parts.value.some((atom) => atom.labelRole === 'value') ? 1 : 0;
  const words = range === 0 && parts.range[0] && parts.range[0].segment !== parts.value[0]?.segment ? 0.8 : 0;
  return unit + range + flag + said + words;
}

/** The unit in the heading of the column of a number. */
export const findHeadingUnit = ({ kind, box }: Atom, columns: readonly ReportColumn[]): string | undefined =>
  kind === 'number' || kind === 'compared'
    ? columns.find((column) => column.unit !== undefined && measureGapTo(column, box) === 0)?.unit
    : undefined;

/** "Reactive" in the flag column, where it is not a flag. */
export const findRemarks = ({ parts }: ParsedRow, columns: readonly ReportColumn[]): Atom[] =>
  parts.skip.filter(
    (atom) =>
      atom.kind === 'quality' &&
      columns.some((column) => column.role === 'flag' && measureGapTo(column, atom.box) === 0),
  );

function scorePosition(value: Atom, { columns, hasHeader, parsed }: Omit<ResultCandidate, 'name'>): number {
  const own = columns.filter((column) => column.role === 'value');
  if (own.length === 0) return 0;
  const gap = Math.min(...own.map((column) => measureGapTo(column, value.box)));
  // A labeled result needs no column. A name that reaches into the column leaves no other place for the value.
  const end = parsed.parts.name.at(-1)?.box.x1 ?? 0;
  if (gap > 12 && own.every(({ x1 }) => x1 < end) && value.box.x0 > end) return 0;
  if (gap > 12) return value.labelRole === 'value' ? 0 : hasHeader ? -1.2 : -0.8;
  return hasHeader ? 1.4 : 0.6;
}
