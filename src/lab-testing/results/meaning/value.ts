import type {
  ExpectedResult,
  ReceivedObservation,
  ReportedResult,
} from '../../../adapters/lab-network/port.ts';
import { NUMBER_SOURCE, plain, readNumber } from '../printed-number.ts';
import { isUnit } from './units.ts';
import { isQualitative } from './words.ts';

export interface ReadValue {
  readonly type: ReportedResult['type'];
  /** -1 where the result is not a number. */
  readonly value: number;
  /** Where the value lies when it is not one number: `<1.2` is below 1.2. */
  readonly extent: Extent | null;
  /** What was printed with the number and has a place of its own. */
  readonly unit: string | null;
  readonly flags: readonly string[];
}

/** A stretch of values, as far as it was told. */
export interface Extent {
  readonly from: number | null;
  readonly fromInside: boolean;
  readonly to: number | null;
  readonly toInside: boolean;
  readonly isTiter: boolean;
}

/** What nearly all results are, and no other reading of it is possible. */
const BARE_NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/** What is equal to a number is that number. */
const EQUAL_TO = /^=\s?(?=[-+.\d])/;

const NOT_A_NUMBER = { value: -1, extent: null, unit: null, flags: [] } as const;

/** What a printed result is: a number, a range, one of a few words, or a remark. What was printed stays the result. */
export function readValue(
  { form, value }: Pick<ReceivedObservation, 'form' | 'value'>,
  expected?: Pick<ExpectedResult, 'kind' | 'normalText' | 'abnormalText'>,
): ReadValue {
  if (form === 'coded') return { type: 'coded_value', ...NOT_A_NUMBER };
  if (value !== null && BARE_NUMBER.test(value)) return numberOf(Number(value));
  const text = plain(value ?? '').replace(EQUAL_TO, '');
  // `2+` is a word of a scale, and no number with something behind it.
  if (isQualitative(text)) return { type: 'coded_value', ...NOT_A_NUMBER };
  return (
    numeric(text) ??
    withCompany(text) ??
    stretch(text) ?? {
      type: isCoded(text, expected) ? 'coded_value' : 'comment',
      ...NOT_A_NUMBER,
    }
  );
}

function numeric(text: string): ReadValue | undefined {
  const value = readNumber(text);
  return value === null ? undefined : numberOf(value);
}

const numberOf = (value: number): ReadValue => ({
  type: 'numeric',
  value,
  extent: null,
  unit: null,
  flags: [],
});

/** The flags that are printed beside a number. The other letters of table 0078 are units there: `12 s`, `37 C`. */
// prettier-ignore
const PRINTED_FLAGS = new Set([
  'L', 'H', 'LL', 'HH', 'A', 'AA', 'N', '*', '**', '!', '!!', 'L*', 'H*', 'PL', 'PH', 'LP', 'HP', 'CL', 'CH', 'LOW', 'HIGH', 'ABN', 'CRIT',
]);

const NUMBER_AND = new RegExp(`^(${NUMBER_SOURCE})(\\s?)(.+)$`);
const FLAG_FIRST = new RegExp(`^([A-Z]{1,4}|\\*{1,2}|!{1,2})\\s(${NUMBER_SOURCE})$`);

/** A number with its flag or unit printed beside it: `5.7 H`, `105*`, `H 5.7`, `7.4 mg/dL`, `7.4 mg/dL (H)`. */
function withCompany(text: string): ReadValue | undefined {
  const before = FLAG_FIRST.exec(text);
  if (before?.[1] !== undefined && PRINTED_FLAGS.has(before[1]) && before[2] !== undefined) {
    const value = readNumber(before[2]);
    return value === null
      ? undefined
      : { type: 'numeric', value, extent: null, unit: null, flags: [before[1]] };
  }
  const [, number = '', , company = ''] = NUMBER_AND.exec(text) ?? [];
  const value = readNumber(number);
  const read = value === null ? undefined : companyOf(company);
  return value === null || !read ? undefined : { type: 'numeric', value, extent: null, ...read };
}

function companyOf(company: string): Pick<ReadValue, 'unit' | 'flags'> | undefined {
  const bare = withoutBrackets(company);
  if (PRINTED_FLAGS.has(bare)) return { unit: null, flags: [bare] };
  // Two numbers beside each other are two, although `106` is how a power is printed that lost its superscript.
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

/** `<1.2`, `> OR = 200`, `0-5`, `1:160`, `<1:20`, with the unit or flag beside it. */
function stretch(text: string): ReadValue | undefined {
  const two = BETWEEN.exec(text);
  const [from, to] = [readNumber(two?.[1] ?? ''), readNumber(two?.[2] ?? '')];
  if (from !== null && to !== null && from <= to) {
    return ranged({ from, fromInside: true, to, toInside: true, isTiter: false });
  }
  const titer = TITER.exec(text)?.[1];
  if (titer !== undefined) {
    const dilution = readNumber(titer) ?? 0;
    const extent = { from: dilution, fromInside: true, to: dilution, toInside: true, isTiter: true };
    return { ...ranged(extent), type: 'coded_value' };
  }
  return compared(text);
}

const ranged = (extent: Extent): ReadValue => ({ type: 'range', value: -1, extent, unit: null, flags: [] });

function compared(text: string): ReadValue | undefined {
  const found = COMPARATORS.find(([pattern]) => pattern.test(text));
  if (!found) return undefined;
  const [pattern, side, isInside] = found;
  const rest = text.replace(pattern, '');
  const titer = TITER.exec(rest)?.[1];
  const bare = titer === undefined ? (numeric(rest) ?? withCompany(rest)) : undefined;
  const bound = titer === undefined ? bare?.value : readNumber(titer);
  if (bound === undefined || bound === null) return undefined;
  const open = { from: null, fromInside: true, to: null, toInside: true, isTiter: titer !== undefined };
  const extent =
    side === 'to'
      ? { ...open, to: bound, toInside: isInside }
      : { ...open, from: bound, fromInside: isInside };
  return { ...ranged(extent), unit: bare?.unit ?? null, flags: bare?.flags ?? [] };
}

const CODED_LENGTH_MAX = 60;

/** One of a few words that the laboratory chooses from; a sentence is a remark. */
function isCoded(text: string, expected: Parameters<typeof readValue>[1]): boolean {
  const small = text.toLowerCase();
  const usual = [expected?.normalText, expected?.abnormalText];
  if (usual.some((each) => each?.toLowerCase() === small)) return true;
  return expected?.kind === 'coded' && text !== '' && text.length <= CODED_LENGTH_MAX && !REMARK.test(text);
}

const REMARK = /\bsee\b|comment|\bnotes?\b|pending|not applicable|[.;!?]\s/i;
