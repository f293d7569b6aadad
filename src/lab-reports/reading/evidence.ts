import type { Atom } from './atoms.ts';
import { gapTo, type Column } from './columns.ts';
import { dateLength } from './dates.ts';
import { textOfAtoms } from './drafts.ts';
import { namesAnalyte } from './lexicon/analytes.ts';
import { findingEvidence, findingOf } from './findings.ts';
import { headFieldAt } from './lexicon/head-fields.ts';
import {
  isGrade,
  isHeadLabel,
  OF_EARLIER,
  OF_RANGES,
  sentenceShare,
  sentenceShareOfName,
} from './lexicon/not-results.ts';
import { namesBloodGroup } from './lexicon/qualities.ts';
import { noNameEvidence } from './no-names.ts';
import { isNumbering, noResultEvidence } from './no-results.ts';
import { CUT, isOpen } from './open-names.ts';
import { bare } from './plain.ts';
import type { ParsedRow } from './regions.ts';
import { SAYS_AGAIN } from './unit-systems.ts';
import { isCell, isDate, valueEvidence } from './value-evidence.ts';
import { unite } from './word.ts';

/** What speaks for a line being a result. */
export const ENOUGH = 2;

/** A line that can only be understood at a price like this is no line of a table. */
const MOST_COST = 14;

export interface Claim {
  readonly name: string;
  readonly parsed: ParsedRow;
  readonly columns: readonly Column[];
  readonly hasHeader: boolean;
  /** Whether its words stand in line with the cells of a table. */
  readonly isInCells: boolean;
}

/** How much speaks for a line being a result under this name; less than ENOUGH is not. */
export function evidenceOf({ name, parsed, columns, hasHeader, isInCells }: Claim): number {
  const first = findingOf(parsed) ?? parsed.parts.value[0];
  if (!first || !/\p{L}/u.test(name)) return -9;
  const value = {
    ...first,
    text: textOfAtoms(parsed.parts.value),
    box: isApart(parsed) ? unite(parsed.parts.value.map(({ box }) => box)) : first.box,
  };
  return (
    (isOfPatient(parsed) || isOfHead(parsed) ? -6 : 0) +
    (isPlace(name, value.text, parsed) ? -3 : 0) +
    (parsed.cost > MOST_COST ? -3 : 0) +
    proseEvidence(parsed) +
    noResultEvidence(parsed) +
    runningEvidence(parsed) +
    nameEvidence(name, hasHeader && isRowOfTable(parsed, columns)) +
    noNameEvidence({ name, value, hasCompany: companyEvidence(parsed) > 0, parsed }) +
    valueEvidence(value, {
      isInCell: isInCells || isCell({ value, parsed, columns, hasHeader }),
      hasUnit: parsed.parts.unit.length > 0,
      mayBeSentence: isInCells && namesAnalyte(name),
    }) +
    companyEvidence(parsed) +
    (remarksOf(parsed, columns).length > 0 ? 1 : 0) +
    (parsed.parts.unit.length === 0 && unitAbove(value, columns) !== undefined ? 1.6 : 0) +
    findingEvidence(parsed) +
    (value.kind === 'flag' && /^(?:A|B|AB)$/.test(value.text) && namesBloodGroup(name) ? 1.4 : 0) +
    placeEvidence(value, { columns, hasHeader, parsed, isInCells })
  );
}

/** Where a laboratory is, by what number it pays its taxes, and who signs. */
const ADDRESS =
  /\p{Ll}stra(?:ss|ß)e$|\b(?:calle|carrera|avda|avenida|stra(?:ss|ß)e|rue|rua|nit|cuit|abn|nif|cnpj|siret)\b|^(?:dr|dra|prof|d\.?ssa)\.\s/iu;

/** Words that stand in the line of the name with no gap between may be a sentence, which is in no column. */
const isApart = ({ parts }: ParsedRow): boolean => parts.value[0]?.segment !== parts.name.at(-1)?.segment;

/** A line with a date of birth says who the patient is. */
const isOfPatient = ({ row }: ParsedRow): boolean => {
  const texts = row.words.map((word) => word.text);
  return texts.some((_, at) => {
    const label = headFieldAt(texts, at);
    return label?.field === 'dob' && dateLength(texts, at + label.count) > 0;
  });
};

/** A label of the head that has a gap behind it, and years that somebody is old beside a date. */
const isOfHead = ({ parts, atoms }: ParsedRow): boolean => {
  const [label, other] = parts.name;
  const isLabel = label && other && other.segment !== label.segment && isHeadLabel(label.text);
  return isLabel === true || (YEARS.test(textOfAtoms(parts.unit)) && atoms.some(isDate));
};

const YEARS = /^(?:years?|yrs|a[nñ]os|ans|jahre|anni|anos)$/iu;

/** "Total volume   1840   mL" is of the head of a report, though not in a table: each piece below its heading. */
const isRowOfTable = ({ parts, row }: ParsedRow, columns: readonly Column[]): boolean =>
  row.segments.length === 3 &&
  parts.value[0]?.kind === 'number' &&
  parts.unit[0] !== undefined &&
  !OF_BODY.test(textOfAtoms(parts.unit)) &&
  (['name', 'value', 'unit'] as const).every((role) =>
    columns.some((column) => column.role === role && parts[role].some(({ box }) => gapTo(column, box) === 0)),
  );

const OF_BODY = /^(?:kg|cm|m|lbs?|in|ft|years?|yrs|a[nñ]os|ans|jahre|anni|anos)\.?$/iu;

/** "Norfolk, VA" before "23510", "Department of Haematology, Level" before "3". */
const isPlace = (name: string, value: string, { parts }: ParsedRow): boolean =>
  (/\p{L}{3},?\s[A-Z]{2}$/u.test(name) && /^\d{5}$/.test(value)) ||
  (/,\s(?:level|floor|suite|room|piso|[ée]tage|piano|andar|stock)$/iu.test(name) &&
    /^\d{1,3}$/.test(value) &&
    parts.unit.length + parts.range.length === 0);

/** A line below "Sex   Age   Number" begins with one of these. */
const SEX =
  /^(?:male|female|var[óo]n|hembra|mujer|hombre|masculin[oe]?|femenin[oa]|feminin[oa]?|f[ée]minin|m[äa]nnlich|weiblich|maschio|femmina|homme|femme)$/iu;

function nameEvidence(name: string, isInTable: boolean): number {
  const words = bare(name).split(' ');
  const label = name.replace(/\s*[:.]+\s*$/, '');
  if (!isInTable && (isHeadLabel(label) || isHeadLabel(label.split(/[:(]/)[0] ?? ''))) return -6;
  if (isGrade(label) || (name.includes(':') && isGrade(label.split(':')[0] ?? ''))) return -6;
  if (SEX.test(label)) return -6;
  const known = namesAnalyte(name) ? 1.6 : 0;
  const length = words.length > 12 ? -4 : words.length > 8 ? -1.2 : 0;
  const sentence = words.length > 3 && sentenceShareOfName(name) > (words.length > 5 ? 0.32 : 0.34) ? -3 : 0;
  const prose = /[.;]\s+\p{Lu}|[,.;]$/u.test(name.trim()) && words.length > 4 ? -1 : 0;
  const short = words.join('').length < 2 ? -1.5 : 0;
  const isMutation = /^\p{Lu}\d{1,4}\p{Lu}$/u.test(name);
  const digits = (name.match(/\d/g)?.length ?? 0) > name.length / 2 && !isMutation ? -3 : 0;
  const legend = OF_RANGES.test(name)
    ? -4
    : OF_EARLIER.test(name) || SAYS_AGAIN.test(words.join(' '))
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
  const isCut = isOpen(name) ? -CUT : 0;
  const goesOn =
    /^\p{Ll}{2}/u.test(name) && words.length > 3 ? (sentenceShare(words[0] ?? '') > 0 ? -3 : -1.5) : 0;
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

/** Tables of what values mean, and sentences, have more numbers and words than a result has places. */
function proseEvidence({ parts, atoms }: ParsedRow): number {
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
  const isOneRun = atoms.every(({ segment, said }) => segment === atoms[0]?.segment && said === undefined);
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

/** Words and numbers within running text, where no gap parts a value from what stands beside it. */
function runningEvidence({ parts, atoms, cost }: ParsedRow): number {
  const first = atoms.indexOf(parts.value[0] ?? NOTHING);
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
  const words = parts.range.includes(after ?? NOTHING) && length < 4 && !goesOn ? 0 : length;
  if (value.kind === 'text') return isProse(before) || cost > 9 || isLongWithin(parts) ? -3 : 0;
  if (words > 1 && parts.name[0] && parts.name[0].box.x0 > value.box.x0) return -3;
  const isSentence = words > 3 || (words > 0 && (isProse(before) || value.kind === 'quality'));
  return isSentence && !value.said ? -3.5 : 0;
}

/** A sentence in one piece with the name before it, which is the first half of that sentence. */
const isLongWithin = ({ name, value }: ParsedRow['parts']): boolean => {
  const text = textOfAtoms(value);
  return (
    value[0]?.segment === name.at(-1)?.segment && text.split(' ').length > 5 && sentenceShare(text) > 0.2
  );
};

const NOTHING: Atom = {
  kind: 'blank',
  text: '',
  words: [],
  box: { x0: 0, x1: 0, y0: 0, y1: 0 },
  segment: -1,
};

function companyEvidence({ parts }: ParsedRow): number {
  const unit = parts.unit.length > 0 ? 1.6 : 0;
  const range = parts.range.some(({ kind, text }) => kind !== 'text' && !isNumbering(text)) ? 1.6 : 0;
  const flag = parts.flag.length > 0 ? 0.8 : 0;
  const said = parts.value.some((atom) => atom.said === 'value') ? 1 : 0;
  const words = range === 0 && parts.range[0] && parts.range[0].segment !== parts.value[0]?.segment ? 0.8 : 0;
  return unit + range + flag + said + words;
}

/** The unit in the heading of the column that a number stands in. */
export const unitAbove = ({ kind, box }: Atom, columns: readonly Column[]): string | undefined =>
  kind === 'number' || kind === 'compared'
    ? columns.find((column) => column.unit !== undefined && gapTo(column, box) === 0)?.unit
    : undefined;

/** "Reactive" in the column that says how a result is seen, where it is no flag. */
export const remarksOf = ({ parts }: ParsedRow, columns: readonly Column[]): Atom[] =>
  parts.skip.filter(
    (atom) =>
      atom.kind === 'quality' &&
      columns.some((column) => column.role === 'flag' && gapTo(column, atom.box) === 0),
  );

function placeEvidence(value: Atom, { columns, hasHeader, parsed }: Omit<Claim, 'name'>): number {
  const own = columns.filter((column) => column.role === 'value');
  if (own.length === 0) return 0;
  const gap = Math.min(...own.map((column) => gapTo(column, value.box)));
  // What a label says to be a result needs no column.
  // A name that reaches into the column leaves no other place for what was found.
  const end = parsed.parts.name.at(-1)?.box.x1 ?? 0;
  if (gap > 12 && own.every(({ x1 }) => x1 < end) && value.box.x0 > end) return 0;
  if (gap > 12) return value.said === 'value' ? 0 : hasHeader ? -1.2 : -0.8;
  return hasHeader ? 1.4 : 0.6;
}
