import type { RangeBounds } from '../../adapters/lab-network/port.ts';
import { NUMBER_SOURCE, parsePrintedNumber } from './printed-number.ts';
import { isSameUnit, isUnit } from './interpretation/units.ts';

/*
 * Parses one printed reference interval (`1-10`, `< OR = 9.9`, `[1.0, 2.0)`, `40 U/L or less`, `1:20 - 1:80`) into
 * bounds, whether each bound is inclusive, and the printed unit. Returns null for everything that it cannot read with
 * certainty; it never guesses. Every pattern is linear in the length of the text.
 */

interface ReferenceInterval extends RangeBounds {
  readonly isTiter: boolean;
  /** The unit that is printed with the bounds; null where none is. */
  readonly unit: string | null;
}

/** What a comparator says of the bound next to it. */
interface BoundComparator {
  readonly side: 'min' | 'max';
  readonly isInclusive: boolean;
}

const LESS_THAN: BoundComparator = { side: 'max', isInclusive: false };
const AT_MOST: BoundComparator = { side: 'max', isInclusive: true };
const MORE_THAN: BoundComparator = { side: 'min', isInclusive: false };
const AT_LEAST: BoundComparator = { side: 'min', isInclusive: true };

/** Before the number. Longer ones first: `<` is a prefix of `< OR =`, `less than` of `less than or equal to`. */
// prettier-ignore
const LEADING_COMPARATORS: readonly [RegExp, BoundComparator][] = [
  [/^(?:<\s*or\s*=|<\s*or\s+equal\s+to|<=|=<|≤|≦|⩽|&lt;=|<\/=)/i,                       AT_MOST],
  [/^(?:>\s*or\s*=|>\s*or\s+equal\s+to|>=|=>|≥|≧|⩾|&gt;=|>\/=)/i,                       AT_LEAST],
  [/^(?:<|&lt;)/i,                                                                     LESS_THAN],
  [/^(?:>|&gt;)/i,                                                                     MORE_THAN],
  [/^(?:less|lower|smaller|fewer) than or equal(?: to)?\b/i,                           AT_MOST],
  [/^(?:greater|more|higher|larger) than or equal(?: to)?\b/i,                         AT_LEAST],
  [/^equal to or (?:less|lower) than\b/i,                                              AT_MOST],
  [/^equal to or (?:greater|more|higher) than\b/i,                                     AT_LEAST],
  [/^(?:up to(?: and including)?|at most|(?:no|not) (?:more|greater|higher) than|not (?:above|over|exceeding|to exceed)|max(?:imum|\.)?(?: of)?)(?=[\s\d:.-])/i, AT_MOST],
  [/^(?:at least|(?:no|not) (?:less|lower) than|not (?:below|under)|min(?:imum|\.)?(?: of)?|from)(?=[\s\d:.-])/i, AT_LEAST],
  [/^(?:(?:less|lower|smaller|fewer) than|under|below)\b/i,                            LESS_THAN],
  [/^(?:(?:greater|more|higher|larger) than|over|above|exceeding)\b/i,                 MORE_THAN],
];

/** After the number. */
const TRAILING_COMPARATORS: readonly [RegExp, BoundComparator][] = [
  [/^(?:or|and) (?:less|lower|below|under|fewer)\b/i, AT_MOST],
  [/^(?:or|and) (?:more|greater|higher|above|over|up)\b/i, AT_LEAST],
  [/^\+(?=$|\s)/, AT_LEAST],
];

const NUMBER = new RegExp(`^${NUMBER_SOURCE}`);
const TITER = /^1\s?:\s?(\d{1,6}(?:,\d{3})*)/;
const BETWEEN = /^(?:to|through|thru|and|-|–|—|~|\.\.|…)\s?/i;
const RANGE_LABEL =
  /^(?:reference(?: range| interval)?|ref(?:\.| range)?|range|expected|interval)\s?[:=]\s?/i;
const RANGE_LEAD = /^(?:between|from)\s/i;

/** Parses the bounds; null where there are none that can be read with certainty. */
export function parseReferenceInterval(text: string): ReferenceInterval | null {
  const bare = withoutEnclosure(text.replace(RANGE_LABEL, ''));
  return parseBracketed(bare) ?? parseTwoSided(bare) ?? parseOneSided(bare);
}

/** `(1.0-2.0)` is a range in parentheses. A comma between the bounds, or mixed brackets, make it an interval. */
function withoutEnclosure(text: string): string {
  const inner = /^(?:\(([^()[\]]*)\)|\[([^()[\]]*)\])$/.exec(text);
  const said = inner?.[1] ?? inner?.[2];
  return said === undefined || INTERVAL_COMMA.test(text) ? text : said.trim();
}

const INTERVAL_COMMA = new RegExp(`^[[(]\\s?${NUMBER_SOURCE}\\s?(?:, |;|\\.\\.)`);
const BRACKETS = new RegExp(
  `^([[(\\]])\\s?(${NUMBER_SOURCE})?\\s?(?:, ?|;|\\.\\.|-|–|to)\\s?(${NUMBER_SOURCE})?\\s?([\\])[])(.*)$`,
);

/** `[1.0, 2.0)`: a square bracket is inclusive; a parenthesis, or a bracket facing away, is exclusive. */
function parseBracketed(text: string): ReferenceInterval | null {
  const said = BRACKETS.exec(text);
  if (!said) return null;
  const [, open = '', low, high, close = '', rest = ''] = said;
  const tail = parseTail(rest);
  if (!tail || (low === undefined && high === undefined)) return null;
  const [min, max] = [parseOptionalNumber(low), parseOptionalNumber(high)];
  if (min !== null && max !== null && min > max) return null;
  return { min, minInside: open === '[', max, maxInside: close === ']', isTiter: false, unit: tail.unit };
}

const parseOptionalNumber = (text: string | undefined) =>
  text === undefined ? null : parsePrintedNumber(text);

/** `1-10`, `3 to 5`, `-2.0 - 2.0`, `>=2.0 and <5.0`, `1:20 - 1:80`, `4.0 % - 5.6 %`. */
function parseTwoSided(text: string): ReferenceInterval | null {
  const low = parseBound(text.replace(RANGE_LEAD, ''));
  if (!low || low.bound?.side === 'max') return null;
  const joint = BETWEEN.exec(low.rest)?.[0] ?? (low.bound && /^[,;&]\s?/.exec(low.rest)?.[0]);
  const first = joint ? low : parseUnitBetween(low);
  const between = joint ?? BETWEEN.exec(first.rest)?.[0];
  if (!between) return null;
  const high = parseBound(first.rest.slice(between.length));
  const tail = high && parseTail(high.rest);
  if (!high || !tail || high.bound?.side === 'min' || high.isTiter !== low.isTiter) return null;
  if (low.value > high.value || hasConflictingUnits(first.unit, tail.unit)) return null;
  return {
    min: low.value,
    minInside: low.bound?.isInclusive ?? true,
    max: high.value,
    maxInside: high.bound?.isInclusive ?? true,
    isTiter: low.isTiter,
    unit: tail.unit ?? first.unit ?? null,
  };
}

const hasConflictingUnits = (one: string | null | undefined, other: string | null): boolean =>
  one != null && other !== null && isSameUnit(one, other) !== true;

/** The unit may also follow the first bound. */
function parseUnitBetween(low: PrintedBound): PrintedBound {
  const [all = '', unit] = /^([^\s-]+)\s?(?=-|–|—|to )/i.exec(low.rest) ?? [];
  return unit !== undefined && isUnit(unit) ? { ...low, rest: low.rest.slice(all.length), unit } : low;
}

function parseOneSided(text: string): ReferenceInterval | null {
  const read = parseBound(text);
  if (!read) return null;
  const after = read.bound ? undefined : parseTrailingComparator(read.rest);
  const bound = read.bound ?? after?.bound;
  const tail = parseTail(after?.rest ?? read.rest);
  if (!bound || !tail) return null;
  const unit = tail.unit ?? after?.unit ?? null;
  const open = { min: null, minInside: true, max: null, maxInside: true, isTiter: read.isTiter, unit };
  return bound.side === 'min'
    ? { ...open, min: read.value, minInside: bound.isInclusive }
    : { ...open, max: read.value, maxInside: bound.isInclusive };
}

/** `40 or less`, also with the unit between: `40 U/L or less`. */
function parseTrailingComparator(
  text: string,
): { bound: BoundComparator; rest: string; unit: string | null } | undefined {
  const [all = '', behind = ''] = /^(\S+) (?=(?:or|and) )/i.exec(text) ?? [];
  const unit = isUnit(behind) ? behind : null;
  const said = unit === null ? text : text.slice(all.length);
  const found = TRAILING_COMPARATORS.find(([pattern]) => pattern.test(said));
  return found && { bound: found[1], rest: said.replace(found[0], '').trim(), unit };
}

interface PrintedBound {
  readonly bound: BoundComparator | undefined;
  readonly value: number;
  readonly isTiter: boolean;
  /** The text after the bound, without leading white space. */
  readonly rest: string;
  readonly unit?: string;
}

function parseBound(text: string): PrintedBound | null {
  const before = LEADING_COMPARATORS.find(([pattern]) => pattern.test(text));
  const bare = before ? text.replace(before[0], '').replace(/^\s?:?\s?/, '') : text;
  const titer = TITER.exec(bare);
  const printed = titer?.[1] ?? NUMBER.exec(bare)?.[0];
  const value = printed === undefined ? null : parsePrintedNumber(printed);
  if (value === null || printed === undefined) return null;
  const rest = bare.slice(titer?.[0].length ?? printed.length).trimStart();
  return { bound: before?.[1], value, isTiter: titer !== null, rest };
}

const IGNORED_SUFFIX =
  /(?:^|\s)\(?(?:fasting|non-?fasting|adults?|all ages|years?|calc(?:ulated)?\.?|normal|optimal|desirable|negative|therapeutic|titer)\)?$/i;

/** Accepts what may follow the bounds without changing them: nothing, a unit, a word such as `fasting`, or both. */
function parseTail(rest: string): { unit: string | null } | undefined {
  const said = rest
    .trim()
    .replace(/[.;,]$/, '')
    .replace(IGNORED_SUFFIX, '')
    .trim();
  if (said === '') return { unit: null };
  const unit = /^[([](.*)[)\]]$/.exec(said)?.[1] ?? said;
  return isUnit(unit) ? { unit } : undefined;
}
