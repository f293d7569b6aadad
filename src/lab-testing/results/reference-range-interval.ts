import type { RangeBounds } from '../../adapters/lab-network/port.ts';
import { NUMBER_SOURCE, readNumber } from './printed-number.ts';
import { isSameUnit, isUnit } from './meaning/units.ts';

export interface Interval extends RangeBounds {
  readonly isTiter: boolean;
  /** The unit that is printed with the bounds; null where none is. */
  readonly unit: string | null;
}

/** What stands for a bound: which side it is of, and whether it is inside. */
interface Bound {
  readonly side: 'min' | 'max';
  readonly isInside: boolean;
}

const LESS: Bound = { side: 'max', isInside: false };
const AT_MOST: Bound = { side: 'max', isInside: true };
const MORE: Bound = { side: 'min', isInside: false };
const AT_LEAST: Bound = { side: 'min', isInside: true };

/** Before the number. Longer ones first: `<` begins `< OR =`, and `less than` begins `less than or equal to`. */
// prettier-ignore
const BEFORE: readonly [RegExp, Bound][] = [
  [/^(?:<\s*or\s*=|<\s*or\s+equal\s+to|<=|=<|≤|≦|⩽|&lt;=|<\/=)/i,                       AT_MOST],
  [/^(?:>\s*or\s*=|>\s*or\s+equal\s+to|>=|=>|≥|≧|⩾|&gt;=|>\/=)/i,                       AT_LEAST],
  [/^(?:<|&lt;)/i,                                                                     LESS],
  [/^(?:>|&gt;)/i,                                                                     MORE],
  [/^(?:less|lower|smaller|fewer) than or equal(?: to)?\b/i,                           AT_MOST],
  [/^(?:greater|more|higher|larger) than or equal(?: to)?\b/i,                         AT_LEAST],
  [/^equal to or (?:less|lower) than\b/i,                                              AT_MOST],
  [/^equal to or (?:greater|more|higher) than\b/i,                                     AT_LEAST],
  [/^(?:up to(?: and including)?|at most|(?:no|not) (?:more|greater|higher) than|not (?:above|over|exceeding|to exceed)|max(?:imum|\.)?(?: of)?)(?=[\s\d:.-])/i, AT_MOST],
  [/^(?:at least|(?:no|not) (?:less|lower) than|not (?:below|under)|min(?:imum|\.)?(?: of)?|from)(?=[\s\d:.-])/i, AT_LEAST],
  [/^(?:(?:less|lower|smaller|fewer) than|under|below)\b/i,                            LESS],
  [/^(?:(?:greater|more|higher|larger) than|over|above|exceeding)\b/i,                 MORE],
];

/** After the number. */
const AFTER: readonly [RegExp, Bound][] = [
  [/^(?:or|and) (?:less|lower|below|under|fewer)\b/i, AT_MOST],
  [/^(?:or|and) (?:more|greater|higher|above|over|up)\b/i, AT_LEAST],
  [/^\+(?=$|\s)/, AT_LEAST],
];

const NUMBER = new RegExp(`^${NUMBER_SOURCE}`);
const TITER = /^1\s?:\s?(\d{1,6}(?:,\d{3})*)/;
const BETWEEN = /^(?:to|through|thru|and|-|–|—|~|\.\.|…)\s?/i;
const LABEL = /^(?:reference(?: range| interval)?|ref(?:\.| range)?|range|expected|interval)\s?[:=]\s?/i;
const LEAD = /^(?:between|from)\s/i;

/** The bounds that a text prints, or null where it prints none that can be told for certain. */
export function readInterval(text: string): Interval | null {
  const bare = withoutWrap(text.replace(LABEL, ''));
  return bracketed(bare) ?? twoSided(bare) ?? oneSided(bare);
}

/** `(1.0-2.0)` is a range in parentheses; a comma between the bounds, or two kinds of bracket, mean an interval. */
function withoutWrap(text: string): string {
  const inner = /^(?:\(([^()[\]]*)\)|\[([^()[\]]*)\])$/.exec(text);
  const said = inner?.[1] ?? inner?.[2];
  return said === undefined || INTERVAL_COMMA.test(text) ? text : said.trim();
}

const INTERVAL_COMMA = new RegExp(`^[[(]\\s?${NUMBER_SOURCE}\\s?(?:, |;|\\.\\.)`);
const BRACKETS = new RegExp(
  `^([[(\\]])\\s?(${NUMBER_SOURCE})?\\s?(?:, ?|;|\\.\\.|-|–|to)\\s?(${NUMBER_SOURCE})?\\s?([\\])[])(.*)$`,
);

/** `[1.0, 2.0)`: a square bracket has the bound inside, a parenthesis (or a bracket turned away) outside. */
function bracketed(text: string): Interval | null {
  const said = BRACKETS.exec(text);
  if (!said) return null;
  const [, open = '', low, high, close = '', rest = ''] = said;
  const tail = tailOf(rest);
  if (!tail || (low === undefined && high === undefined)) return null;
  const [min, max] = [numberOrNull(low), numberOrNull(high)];
  if (min !== null && max !== null && min > max) return null;
  return { min, minInside: open === '[', max, maxInside: close === ']', isTiter: false, unit: tail.unit };
}

const numberOrNull = (text: string | undefined) => (text === undefined ? null : readNumber(text));

/** `1-10`, `3 to 5`, `-2.0 - 2.0`, `>=2.0 and <5.0`, `1:20 - 1:80`, `4.0 % - 5.6 %`. */
function twoSided(text: string): Interval | null {
  const low = readBound(text.replace(LEAD, ''));
  if (!low || low.bound?.side === 'max') return null;
  const joint = BETWEEN.exec(low.rest)?.[0] ?? (low.bound && /^[,;&]\s?/.exec(low.rest)?.[0]);
  const first = joint ? low : unitBetween(low);
  const between = joint ?? BETWEEN.exec(first.rest)?.[0];
  if (!between) return null;
  const high = readBound(first.rest.slice(between.length));
  const tail = high && tailOf(high.rest);
  if (!high || !tail || high.bound?.side === 'min' || high.isTiter !== low.isTiter) return null;
  if (low.value > high.value || isOfTwoUnits(first.unit, tail.unit)) return null;
  return {
    min: low.value,
    minInside: low.bound?.isInside ?? true,
    max: high.value,
    maxInside: high.bound?.isInside ?? true,
    isTiter: low.isTiter,
    unit: tail.unit ?? first.unit ?? null,
  };
}

const isOfTwoUnits = (one: string | null | undefined, other: string | null): boolean =>
  one != null && other !== null && isSameUnit(one, other) !== true;

/** The unit may stand behind the first bound as well. */
function unitBetween(low: Printed): Printed {
  const [all = '', unit] = /^([^\s-]+)\s?(?=-|–|—|to )/i.exec(low.rest) ?? [];
  return unit !== undefined && isUnit(unit) ? { ...low, rest: low.rest.slice(all.length), unit } : low;
}

function oneSided(text: string): Interval | null {
  const read = readBound(text);
  if (!read) return null;
  const after = read.bound ? undefined : boundAfter(read.rest);
  const bound = read.bound ?? after?.bound;
  const tail = tailOf(after?.rest ?? read.rest);
  if (!bound || !tail) return null;
  const unit = tail.unit ?? after?.unit ?? null;
  const open = { min: null, minInside: true, max: null, maxInside: true, isTiter: read.isTiter, unit };
  return bound.side === 'min'
    ? { ...open, min: read.value, minInside: bound.isInside }
    : { ...open, max: read.value, maxInside: bound.isInside };
}

/** `40 or less`, also with the unit between: `40 U/L or less`. */
function boundAfter(text: string): { bound: Bound; rest: string; unit: string | null } | undefined {
  const [all = '', behind = ''] = /^(\S+) (?=(?:or|and) )/i.exec(text) ?? [];
  const unit = isUnit(behind) ? behind : null;
  const said = unit === null ? text : text.slice(all.length);
  const found = AFTER.find(([pattern]) => pattern.test(said));
  return found && { bound: found[1], rest: said.replace(found[0], '').trim(), unit };
}

interface Printed {
  readonly bound: Bound | undefined;
  readonly value: number;
  readonly isTiter: boolean;
  /** What follows, without a blank before it. */
  readonly rest: string;
  readonly unit?: string;
}

function readBound(text: string): Printed | null {
  const before = BEFORE.find(([pattern]) => pattern.test(text));
  const bare = before ? text.replace(before[0], '').replace(/^\s?:?\s?/, '') : text;
  const titer = TITER.exec(bare);
  const printed = titer?.[1] ?? NUMBER.exec(bare)?.[0];
  const value = printed === undefined ? null : readNumber(printed);
  if (value === null || printed === undefined) return null;
  const rest = bare.slice(titer?.[0].length ?? printed.length).trimStart();
  return { bound: before?.[1], value, isTiter: titer !== null, rest };
}

const HARMLESS =
  /(?:^|\s)\(?(?:fasting|non-?fasting|adults?|all ages|years?|calc(?:ulated)?\.?|normal|optimal|desirable|negative|therapeutic|titer)\)?$/i;

/**
 * What may follow the bounds without changing them: nothing, a unit, a word such as `fasting`, or both. Undefined where
 * it is something else.
 */
function tailOf(rest: string): { unit: string | null } | undefined {
  const said = rest
    .trim()
    .replace(/[.;,]$/, '')
    .replace(HARMLESS, '')
    .trim();
  if (said === '') return { unit: null };
  const unit = /^[([](.*)[)\]]$/.exec(said)?.[1] ?? said;
  return isUnit(unit) ? { unit } : undefined;
}
