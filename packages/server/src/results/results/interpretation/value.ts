import type {
  ExpectedResult,
  ReceivedObservation,
  ReportedResult,
} from '../../../adapters/lab-network/port.ts';
import { NUMBER_SOURCE, normalizePrinted, parsePrintedNumber } from '../printed-number.ts';
import { isUnit } from './units.ts';
import { isQualitative } from './qualitative-answers.ts';

export interface ParsedValue {
  readonly type: ReportedResult['type'];
  /** -1 where the result is not a number. */
  readonly value: number;
  /** The interval of a value that is not a single number: `<1.2` is below 1.2. */
  readonly interval: ValueInterval | null;
  /** Printed with the number. */
  readonly unit: string | null;
  readonly flags: readonly string[];
}

/** An interval of values; null is an open end. */
export interface ValueInterval {
  readonly from: number | null;
  readonly fromInclusive: boolean;
  readonly to: number | null;
  readonly toInclusive: boolean;
  readonly isTiter: boolean;
}

/** The fast path: nearly all results are bare numbers. */
const BARE_NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/** `= 5` is parsed as 5. */
const EQUAL_TO = /^=\s?(?=[-+.\d])/;

const NOT_A_NUMBER = { value: -1, interval: null, unit: null, flags: [] } as const;

/** Classifies and parses a printed result: a number, a range, a coded value, or a comment. */
export function parseValue(
  { form, value }: Pick<ReceivedObservation, 'form' | 'value'>,
  expected?: Pick<ExpectedResult, 'kind' | 'normalText' | 'abnormalText'>,
): ParsedValue {
  if (form === 'coded') return { type: 'coded_value', ...NOT_A_NUMBER };
  if (value !== null && BARE_NUMBER.test(value)) return toNumericValue(Number(value));
  const text = normalizePrinted(value ?? '').replace(EQUAL_TO, '');
  // `2+` is a grade on a scale, not a number with a suffix.
  if (isQualitative(text)) return { type: 'coded_value', ...NOT_A_NUMBER };
  return (
    parseNumeric(text) ??
    parseAnnotatedNumber(text) ??
    parseInterval(text) ?? {
      type: isCodedText(text, expected) ? 'coded_value' : 'comment',
      ...NOT_A_NUMBER,
    }
  );
}

function parseNumeric(text: string): ParsedValue | undefined {
  const value = parsePrintedNumber(text);
  return value === null ? undefined : toNumericValue(value);
}

const toNumericValue = (value: number): ParsedValue => ({
  type: 'numeric',
  value,
  interval: null,
  unit: null,
  flags: [],
});

/** Flags that may be printed next to a number. Other letters of table 0078 are units there: `12 s`, `37 C`. */
// prettier-ignore
const PRINTED_FLAGS = new Set([
  'L', 'H', 'LL', 'HH', 'A', 'AA', 'N', '*', '**', '!', '!!', 'L*', 'H*', 'PL', 'PH', 'LP', 'HP', 'CL', 'CH', 'LOW', 'HIGH', 'ABN', 'CRIT',
]);

const NUMBER_AND = new RegExp(`^(${NUMBER_SOURCE})(\\s?)(.+)$`);
const FLAG_FIRST = new RegExp(`^([A-Z]{1,4}|\\*{1,2}|!{1,2})\\s(${NUMBER_SOURCE})$`);

/** A number with a flag or unit: `5.7 H`, `105*`, `H 5.7`, `7.4 mg/dL`, `7.4 mg/dL (H)`. */
function parseAnnotatedNumber(text: string): ParsedValue | undefined {
  const before = FLAG_FIRST.exec(text);
  if (before?.[1] !== undefined && PRINTED_FLAGS.has(before[1]) && before[2] !== undefined) {
    const value = parsePrintedNumber(before[2]);
    return value === null
      ? undefined
      : { type: 'numeric', value, interval: null, unit: null, flags: [before[1]] };
  }
  const [, number = '', , company = ''] = NUMBER_AND.exec(text) ?? [];
  const value = parsePrintedNumber(number);
  const read = value === null ? undefined : parseAnnotation(company);
  return value === null || !read ? undefined : { type: 'numeric', value, interval: null, ...read };
}

function parseAnnotation(company: string): Pick<ParsedValue, 'unit' | 'flags'> | undefined {
  const bare = withoutBrackets(company);
  if (PRINTED_FLAGS.has(bare)) return { unit: null, flags: [bare] };
  // Two adjacent numbers are two numbers, although a power without its superscript is printed as `106`.
  if (isUnit(company) && !/^\d+$/.test(company)) return { unit: company, flags: [] };
  const [, unit = '', flag = ''] = /^(\S.*)\s(\S+)$/.exec(company) ?? [];
  const last = withoutBrackets(flag);
  return isUnit(unit) && PRINTED_FLAGS.has(last) ? { unit, flags: [last] } : undefined;
}

const withoutBrackets = (text: string): string => /^[([](.*)[)\]]$/.exec(text)?.[1] ?? text;

// prettier-ignore
const COMPARATORS: readonly [RegExp, 'to' | 'from', boolean][] = [
  [/^(?:<\s?or\s?=|<=|=<|≤|less than or equal to\b)\s?/i,    'to',   true],
  [/^(?:>\s?or\s?=|>=|=>|≥|greater than or equal to\b|at least\b)\s?/i, 'from', true],
  [/^(?:<|less than\b|below\b|under\b)\s?/i,                  'to',   false],
  [/^(?:>|greater than\b|more than\b|above\b|over\b)\s?/i,    'from', false],
];

const TITER = /^1\s?:\s?(\d{1,7}|\d{1,3}(?:,\d{3})+)$/;
const BETWEEN = new RegExp(`^(${NUMBER_SOURCE})\\s?(?:-|–|to)\\s?(${NUMBER_SOURCE})$`);

/** `<1.2`, `> OR = 200`, `0-5`, `1:160`, `<1:20`, optionally with a unit or flag. */
function parseInterval(text: string): ParsedValue | undefined {
  const two = BETWEEN.exec(text);
  const [from, to] = [parsePrintedNumber(two?.[1] ?? ''), parsePrintedNumber(two?.[2] ?? '')];
  if (from !== null && to !== null && from <= to) {
    return toIntervalValue({ from, fromInclusive: true, to, toInclusive: true, isTiter: false });
  }
  const titer = TITER.exec(text)?.[1];
  if (titer !== undefined) {
    const dilution = parsePrintedNumber(titer) ?? 0;
    const interval = { from: dilution, fromInclusive: true, to: dilution, toInclusive: true, isTiter: true };
    return { ...toIntervalValue(interval), type: 'coded_value' };
  }
  return parseComparison(text);
}

const toIntervalValue = (interval: ValueInterval): ParsedValue => ({
  type: 'range',
  value: -1,
  interval,
  unit: null,
  flags: [],
});

function parseComparison(text: string): ParsedValue | undefined {
  const found = COMPARATORS.find(([pattern]) => pattern.test(text));
  if (!found) return undefined;
  const [pattern, side, isInside] = found;
  const rest = text.replace(pattern, '');
  const titer = TITER.exec(rest)?.[1];
  const bare = titer === undefined ? (parseNumeric(rest) ?? parseAnnotatedNumber(rest)) : undefined;
  const bound = titer === undefined ? bare?.value : parsePrintedNumber(titer);
  if (bound === undefined || bound === null) return undefined;
  const open = { from: null, fromInclusive: true, to: null, toInclusive: true, isTiter: titer !== undefined };
  const interval =
    side === 'to'
      ? { ...open, to: bound, toInclusive: isInside }
      : { ...open, from: bound, fromInclusive: isInside };
  return { ...toIntervalValue(interval), unit: bare?.unit ?? null, flags: bare?.flags ?? [] };
}

const CODED_LENGTH_MAX = 60;

/** Whether the text is one of a fixed set of answers; a sentence is a comment. */
function isCodedText(text: string, expected: Parameters<typeof parseValue>[1]): boolean {
  const small = text.toLowerCase();
  const usual = [expected?.normalText, expected?.abnormalText];
  if (usual.some((each) => each?.toLowerCase() === small)) return true;
  return expected?.kind === 'coded' && text !== '' && text.length <= CODED_LENGTH_MAX && !REMARK.test(text);
}

const REMARK = /\bsee\b|comment|\bnotes?\b|pending|not applicable|[.;!?]\s/i;
