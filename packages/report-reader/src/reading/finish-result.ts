import type { Atom } from './atoms.ts';
import { type ResultDraft, findBoundingBox, joinAtomText, collectWords } from './result-draft.ts';
import { isMinus } from './lexicon/flags.ts';
import { matchAnalyte } from './lexicon/analyte-limits.ts';
import {
  type RangeComparison,
  compareToInterval,
  resolveFlagLevel,
  interpretResult,
  NOT_COMPARED,
} from './interpretation.ts';
import { type DecimalSign, type PrintedNumber, readNumber } from './numbers.ts';
import { findPatientInterval, joinRangeLines, type RangePatient } from './patient-range.ts';
import { type PrintedInterval, findIntervals, isComparedInWords, readInterval } from './range-text.ts';
import { classifyResultType } from './result-type.ts';
import { joinWords } from './rows.ts';
import { detectSpecimenType } from './specimen.ts';
import { isUnit, toUnitKey } from './units.ts';
import type { ParsedResult, ReportWord } from './report-model.ts';

interface FinishOptions {
  readonly sign: DecimalSign;
  readonly patient: RangePatient;
}

/** Turns a draft into the final result, before review reasons are added. */
export function finishResult(draft: ResultDraft, { sign: habit, patient }: FinishOptions): ParsedResult {
  const { name, unitInName } = readName(draft);
  const sign = chooseDecimalSign(name, joinAtomText(draft.value), habit);
  const { unit, referenceRange, isCut } = readUnitAndRange(draft, unitInName, sign);
  const interval = referenceRange
    ? (readInterval(`[${referenceRange}]`, sign) ?? findPatientInterval(referenceRange, sign, patient))
    : undefined;
  const flagText = joinAtomText(draft.flag);
  const said = readValueAndFlag(joinAtomText(draft.value), { name, flag: flagText, interval });
  const { printedValue, isUnclear } = said;
  const number = readPrintedNumber(printedValue, sign);
  const compared = interval
    ? compareToInterval({ number, span: readInterval(printedValue, sign), interval })
    : NOT_COMPARED;
  const flag = said.flag === '' || isNotFlag(said.flag, draft, compared) ? null : said.flag;
  const flagLevel = flag ? resolveFlagLevel(flag, compared) : null;
  const isClass = isThresholdOf(printedValue, referenceRange ?? '') || hasTwoRanges(referenceRange, sign);
  const hasUnclearColumns = isUnclear || draft.isAmbiguous || isCut || isClass;
  return {
    testName: name,
    printedValue,
    value: number?.value ?? null,
    comparator: number?.comparator ?? null,
    type: classifyResultType({ printedValue, isNumber: number !== undefined, unit }),
    unit,
    referenceRange,
    min: interval?.min ?? null,
    max: interval?.max ?? null,
    openBounds: listOpenBounds(interval),
    flag,
    flagLevel,
    ...compared,
    interpretation: interpretResult({
      flagLevel,
      compared,
      printedValue,
      referenceRange,
      isFound: isCountedAmount(number, unit),
    }),
    panel: draft.panel,
    section: draft.section,
    specimen: detectSpecimenType([name, draft.specimenHint, draft.panel, draft.section]),
    method: draft.method.length > 0 ? draft.method.join(' ').replace(/^[([]|[)\]]$/g, '') : null,
    notes: draft.notes,
    page: draft.row.page,
    boxes: collectBoxes(draft),
    confidence: scoreConfidence(draft),
    reviewReasons: hasUnclearColumns ? ['unclear_columns'] : [],
  };
}

/** A positive count or concentration of what should be absent. */
const isCountedAmount = (number: ReturnType<typeof readPrintedNumber>, unit: string | null): boolean =>
  (number?.value ?? 0) > 0 && number?.comparator === null && /\/[uµμ]l$|^mg\/dl$/iu.test(unit ?? '');

const listOpenBounds = (interval: PrintedInterval | undefined): ('min' | 'max')[] => [
  ...(interval?.minIsOutside ? (['min'] as const) : []),
  ...(interval?.maxIsOutside ? (['max'] as const) : []),
];

/** "0.45 to 4.50; 10.0 to 20.0": without labels, one of two ranges may belong to another result. */
function hasTwoRanges(range: string | null, sign: DecimalSign): boolean {
  const whole = (range ?? '').split('; ').filter((part) => readInterval(part, sign) !== undefined);
  return new Set(whole).size > 1;
}

/** "<30" next to "30-60" is the first of several classes, not a value. */
function isThresholdOf(printedValue: string, range: string): boolean {
  const bound = /^[<>≤≥]=?\s?(\d+(?:[.,]\d+)?)$/u.exec(printedValue)?.[1];
  const bounds: readonly string[] = range.match(/\d+(?:[.,]\d+)?/g) ?? [];
  const isRepeated = range.replaceAll(' ', '').includes(printedValue.replaceAll(' ', ''));
  return bound !== undefined && !isRepeated && bounds.length > 1 && bounds.includes(bound);
}

/** Whether a sign in the flag column is not a flag: a minus for an empty cell, or a star within a drawn scale. */
function isNotFlag(flag: string, draft: ResultDraft, { isAboveMax, isBelowMin }: RangeComparison): boolean {
  const isGuess = isMinus(flag) && draft.flag.some(({ kind }) => kind === 'blank' || kind === 'text');
  const isWithin = [isAboveMax, isBelowMin].includes(false) && !isAboveMax && !isBelowMin;
  return (isGuess && !isBelowMin) || (flag === '[*]' && isWithin);
}

/** "TSHᵃ" and "Calcium²"; the sign of "1.73 m²" is part of its unit. */
const FOOTNOTE_MARK = /(?<=\p{L}{3})\s?[¹²³\u2074-\u2079\u1d43-\u1d6a\u1d9c]+$/u;

function readName(draft: ResultDraft): { name: string; unitInName: string | null } {
  const whole = draft.nameRows
    .map(joinWords)
    .join(' ')
    .replace(/^(?:[*•·▪►>#†‡\uE000-\uF8FF]+|\d{1,2}[.)]|[-–])\s+|^\*+/u, '')
    .replace(/[\s:.…=_-]+$/u, '')
    .replace(FOOTNOTE_MARK, '')
    .trim();
  const [, before, inside] = /^(.{2,}?)\s*[([,]\s*([^()[\],]+)[)\]]?$/u.exec(whole) ?? [];
  if (before && inside && draft.unit.length === 0 && isUnit(inside) && !/^(?:ratio|inr)$/i.test(inside))
    return { name: before.trim(), unitInName: inside };
  const isShare = draft.unit.length === 0 && /(?:^|\s)%$/.test(whole);
  return { name: whole, unitInName: isShare ? '%' : null };
}

interface PrintedValueAndFlag {
  readonly printedValue: string;
  readonly flag: string;
  /** Whether a minus may have been a sign or an empty cell. */
  readonly isUnclear: boolean;
}

/** Separates value and flag, either of which may stand in the other's place. */
function readValueAndFlag(
  text: string,
  { name, flag, interval }: { name: string; flag: string; interval: PrintedInterval | undefined },
): PrintedValueAndFlag {
  const printedValue = cleanValue(text);
  const isGroup = /group|grupp|grupo|groupe|\babo\b|\brh/i.test(name);
  // "A Positive" is a blood group if the name says so; elsewhere it is a flag before a word.
  if (isGroup && flag === 'A') return { printedValue: `A ${printedValue}`, flag: '', isUnclear: false };
  const [, letter, rest] = /^(A)\s+(\p{L}.+)$/u.exec(printedValue) ?? [];
  if (letter && rest && !isGroup && !/^rh/i.test(rest))
    return { printedValue: rest, flag: flag || letter, isUnclear: false };
  const [, minus, digits] = /^([-−–])\s+(\S+)$/u.exec(printedValue) ?? [];
  if (!minus || !digits) return { printedValue, flag, isUnclear: false };
  const bounds = [interval?.min, interval?.max].filter((bound) => typeof bound === 'number');
  const isNegative = bounds.some((bound) => bound < 0);
  return bounds.length === 0 || isNegative
    ? { printedValue: `-${digits}`, flag, isUnclear: !isNegative }
    : { printedValue: digits, flag: flag || minus, isUnclear: false };
}

const readPrintedNumber = (text: string, sign: DecimalSign): PrintedNumber | undefined =>
  readNumber(text.replaceAll(/[()]/g, '').replace(/^([<>])\s*(?:or|o|ou)\s*=/iu, '$1='), sign) ??
  readNumberInWords(text, sign);

/** "Inferior a 1,20" is a number with a comparator. */
function readNumberInWords(text: string, sign: DecimalSign): PrintedNumber | undefined {
  const interval = isComparedInWords(text, sign) ? readInterval(text, sign) : undefined;
  const value = interval?.max ?? interval?.min;
  if (!interval || value === null || value === undefined) return undefined;
  const { max, minIsOutside, maxIsOutside, decimals } = interval;
  if (max === null) return { value, comparator: minIsOutside ? '>' : '>=', decimals };
  return { value, comparator: maxIsOutside ? '<' : '<=', decimals };
}

const cleanValue = (text: string): string =>
  text
    .replace(/^[=:]\s*/, '')
    .replace(/\s*[;,]$/, '')
    .replace(/^[([]\s*([<>]?\s?\d[\d.,]*)\s*[)\]]$/u, '$1')
    .trim();

const cleanUnit = (text: string): string | null => {
  const unit = text
    .replace(/^[([]\s*(?=[^)\]]*[)\]]?$)/, '')
    .replace(/(?<![([][^)\]]*)[)\]]$/, '')
    .replace(/[,;:]$|(?<=\d)\.$/, '')
    .trim();
  return unit === '' ? null : unit;
};

/** "Normal: 70 - 99" is a range, and "Normal: 70 - 99; Impaired: 100 - 125" the first of its classes. */
const NORMAL = /^Normal(?:\s+range)?\s*:\s*(?=[^:;]+$)/iu;

/** The range as printed, with its lines joined; null if there is none. */
function readReferenceRange(draft: ResultDraft, unit: string | null, sign: DecimalSign): string | null {
  const lines = draft.range
    .flatMap(splitIntoLines)
    .map(cleanRange)
    .filter((line) => line !== '');
  const [first = '', ...others] = lines;
  const whole = others.length === 0 ? [first.replace(NORMAL, '')] : lines;
  return first === '' ? null : withoutUnit(joinRangeLines(whole, sign), unit, sign);
}

/** Splits a cell into its printed lines, which may have been merged into one row. */
function splitIntoLines(atoms: readonly Atom[]): string[] {
  const lines: ReportWord[][] = [];
  for (const word of collectWords(atoms)) {
    const before = lines.at(-1)?.at(-1);
    const isBelow =
      before && word.box.y0 > before.box.y0 + 0.5 * word.fontSize && word.box.x0 < before.box.x1;
    if (!before || isBelow) lines.push([word]);
    else lines.at(-1)?.push(word);
  }
  return lines.map(joinWords);
}

/** Removes the unit of the result after the only interval of its range. */
function withoutUnit(range: string, unit: string | null, sign: DecimalSign): string {
  const [, bounds, printed] = /^(.*\d)\s*(\D\S*(?:\s\S+)?|[x×]\s?10\S+)$/u.exec(range) ?? [];
  const isSame = unit !== null && printed !== undefined && toUnitKey(printed) === toUnitKey(unit);
  return bounds && isSame && findIntervals(range, sign).length === 1 ? bounds : range;
}

interface UnitAndRange {
  readonly unit: string | null;
  readonly referenceRange: string | null;
  /** Whether the end of the unit is missing. */
  readonly isCut: boolean;
}

const NUMERIC_VALUE = /^[<>≤≥]?=?\s?\d[\d.,\s]*$/u;

/** "3.8-10.8 Thousand/ uL": the unit behind a range may wrap, and its last part alone is another unit. */
function readUnitAndRange(draft: ResultDraft, unitInName: string | null, sign: DecimalSign): UnitAndRange {
  const unit = cleanUnit(joinAtomText(draft.unit)) ?? unitInName;
  const referenceRange = readReferenceRange(draft, unit, sign);
  const [, bounds, tail = ''] =
    /^(.*?\d)[\s;]+((?:[x×*]?\s?10\S*|\p{L})[^;]*?\/[\s;]*[\p{L}µμ]*)$/u.exec(referenceRange ?? '') ?? [];
  const printed = { unit, referenceRange, isCut: tail.endsWith('/') };
  const isOfNumber = NUMERIC_VALUE.test(joinAtomText(draft.value));
  if (!bounds || !isOfNumber || findIntervals(bounds, sign).length !== 1) return printed;
  const behind = tail.replaceAll(/[\s;]+/g, '');
  const isEndMissing = behind.endsWith('/') && unit !== null && !unit.includes('/');
  const whole = isEndMissing ? `${behind}${unit}` : behind;
  const isWrapped = (unit === null && tail !== behind) || isEndMissing;
  return isWrapped && isUnit(whole) ? { unit: whole, referenceRange: bounds, isCut: false } : printed;
}

/** Remarks on the sample or the report after the range. */
const REMARK =
  /(?<=\d\S*|^\p{L}[\p{L} -]*?)\s+[([]?(?:see (?:note|comment|below|report|remark)|h(?:a)?emoly[sz]|lip(?:a)?emic|icteric|hemoliz|emolis|h[ée]molys|hämoly|recheck|repeated|verified|confirmed|siehe |kontroll|ver (?:nota|obs|coment)|voir |vedi ).*$/iu;

function cleanRange(text: string): string {
  const clean = text
    .replace(/^[:;,]\s*|\s*[;,:]$/g, '')
    .replace(/\s*\(calc\.?\)$/i, '')
    .trim();
  const isWrapped = /^\([^()]*\)$|^\[[^[\]]*\]$/.test(clean);
  return (isWrapped ? clean.slice(1, -1) : clean)
    .replace(/^[([](?=[^)\]]*$)|(?<=^[^([]*)[)\]]$/gu, '')
    .replace(REMARK, '')
    .replace(/^(?:N|V\.?[NR]\.?|Ref\.?)(?:\s*:\s*|\s+(?=[\d<>≤≥\p{Ll}]))(?=[\d<>≤≥\p{L}])/u, '')
    .trim();
}

/** Specific gravity always has a decimal point: 1.015 is not a thousand. */
const chooseDecimalSign = (name: string, value: string, habit: DecimalSign): DecimalSign =>
  /^1\.0\d\d$/.test(value) && matchAnalyte(name) === 'gravity' ? '.' : habit;

function collectBoxes(draft: ResultDraft): ParsedResult['boxes'] {
  const name = findBoundingBox(draft.nameRows.flat().filter(({ isMoved }) => !isMoved));
  const value = findBoundingBox(collectWords(draft.value));
  const unit = findBoundingBox(collectWords(draft.unit));
  const range = findBoundingBox(collectWords(draft.range.flat()).filter(({ isMoved }) => !isMoved));
  const flag = findBoundingBox(collectWords(draft.flag));
  return {
    ...(name && { name }),
    ...(value && { value }),
    ...(unit && { unit }),
    ...(range && { range }),
    ...(flag && { flag }),
  };
}

function scoreConfidence(draft: ResultDraft): number {
  const words = [...draft.nameRows.flat(), ...collectWords([...draft.value, ...draft.unit])];
  const read = Math.min(1, ...words.map((word) => word.confidence));
  const structure = draft.evidence >= 4 ? 0.99 : draft.evidence >= 3 ? 0.96 : 0.88;
  const cost = draft.cost > 5 ? 0.85 : draft.cost > 3 ? 0.95 : 1;
  return Math.round(read * structure * cost * 1000) / 1000;
}
