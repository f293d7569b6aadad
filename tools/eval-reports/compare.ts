import type { ParsedResult } from '../../packages/report-reader/src/reading/report-model.ts';
import { toUnitKey } from '../../packages/report-reader/src/reading/units.ts';
import { normalizeWords } from '../../packages/report-reader/src/reading/text-normalization.ts';
import type { TrueResult } from './truth.ts';

/** Counts of one report, or summed over many. */
export interface ResultScore {
  truth: number;
  read: number;
  found: number;
  value: number;
  unit: number;
  range: number;
  flag: number;
  /** Found results whose value, unit, range and flag are all right. */
  whole: number;
  /** Found results whose truth has a LOINC code; how many have it as first match, and among the first five. */
  coded: number;
  loincFirst: number;
  loincAmong: number;
  /** Found results with a wrong value and no review reason. */
  wrongWithoutWarning: number;
  /** Results with a review reason although everything is right. */
  warnedButRight: number;
}

export const EMPTY_SCORE: ResultScore = {
  truth: 0,
  read: 0,
  found: 0,
  value: 0,
  unit: 0,
  range: 0,
  flag: 0,
  whole: 0,
  coded: 0,
  loincFirst: 0,
  loincAmong: 0,
  wrongWithoutWarning: 0,
  warnedButRight: 0,
};

export interface ResultDifference {
  readonly what: 'missed' | 'extra' | 'value' | 'unit' | 'range' | 'flag' | 'loinc';
  readonly truth: string;
  readonly read: string;
}

const normalizeName = (text: string): string => normalizeWords(text).replaceAll(/[^\p{L}\p{N}%]/gu, '');
const valueKey = (text: string): string =>
  text.toLowerCase().replaceAll(/\s+/g, '').replaceAll('≥', '>=').replaceAll('≤', '<=').replaceAll('’', "'");
const rangeKey = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[–—−]/gu, '-')
    .replaceAll('≥', '>=')
    .replaceAll('≤', '<=')
    .replaceAll(/[\s;,:()[\]]/g, '');

/** The effective flag of a result: the printed flag, otherwise derived from its range. */
function flagOf(line: ParsedResult): 'H' | 'L' | 'A' | null {
  if (line.flagLevel === 'high' || line.flagLevel === 'critical_high') return 'H';
  if (line.flagLevel === 'low' || line.flagLevel === 'critical_low') return 'L';
  if (line.flagLevel === 'normal') return null;
  if (line.isAboveMax) return 'H';
  if (line.isBelowMin) return 'L';
  return line.interpretation === 'abnormal' || line.interpretation === 'critical' ? 'A' : null;
}

/** Whether two names are equal apart from punctuation; if loose, whether they share most of their words. */
function sameName(a: string, b: string, isLoose: boolean): boolean {
  const left = normalizeName(a);
  const right = normalizeName(b);
  if (left === right) return true;
  if (!isLoose) return false;
  const words = new Set(normalizeWords(a).split(' '));
  const others = normalizeWords(b).split(' ');
  const shared = others.filter((word) => words.has(word)).length;
  return (
    left.startsWith(right) || right.startsWith(left) || shared / Math.max(words.size, others.length) >= 0.6
  );
}

/** Pairs expected and read results, certain pairs first. Each result is used once. */
function pairResults(
  truth: readonly TrueResult[],
  read: readonly ParsedResult[],
): Map<TrueResult, ParsedResult> {
  const pairs = new Map<TrueResult, ParsedResult>();
  const used = new Set<ParsedResult>();
  for (const [isLoose, sameValue] of [
    [false, true],
    [false, false],
    [true, true],
    [true, false],
  ] as const) {
    for (const line of truth) {
      if (pairs.has(line)) continue;
      const match = read.find(
        (one) =>
          !used.has(one) &&
          sameName(line.name, one.testName, isLoose) &&
          (!sameValue || valueKey(one.printedValue) === valueKey(line.value)),
      );
      if (!match) continue;
      pairs.set(line, match);
      used.add(match);
    }
  }
  return pairs;
}

/** Compares the results that were read with the truth: a score and the list of differences. */
export function compareResults(
  truth: readonly TrueResult[],
  read: readonly ParsedResult[],
  codings: readonly LineCoding[] = [],
): { score: ResultScore; differences: ResultDifference[] } {
  const pairs = pairResults(truth, read);
  const score: ResultScore = { ...EMPTY_SCORE, truth: truth.length, read: read.length, found: pairs.size };
  const differences: ResultDifference[] = [];
  for (const line of truth) {
    const found = pairs.get(line);
    if (!found) {
      differences.push({
        what: 'missed',
        truth: `${line.name} | ${line.value} | ${line.unit ?? ''} | ${line.reference_range ?? ''}`,
        read: '',
      });
      continue;
    }
    differences.push(...compareLine(line, found, score));
    differences.push(...compareCode(line, codings[read.indexOf(found)], score));
  }
  const matched = new Set(pairs.values());
  for (const line of read) {
    if (!matched.has(line)) {
      differences.push({
        what: 'extra',
        truth: '',
        read: `${line.testName} | ${line.printedValue} | ${line.unit ?? ''} | ${line.referenceRange ?? ''}`,
      });
    }
  }
  return { score, differences };
}

/** The part of a result's LOINC coding that is compared. */
interface LineCoding {
  readonly matches: readonly { readonly loinc_code: string }[];
}

function compareCode(
  { name, loinc }: TrueResult,
  coding: LineCoding | undefined,
  score: ResultScore,
): ResultDifference[] {
  if (!loinc || !coding) return [];
  const codes = coding.matches.slice(0, 5).map((match) => match.loinc_code);
  score.coded += 1;
  score.loincFirst += codes[0] === loinc ? 1 : 0;
  score.loincAmong += codes.includes(loinc) ? 1 : 0;
  return codes[0] === loinc
    ? []
    : [{ what: 'loinc', truth: `${name} | ${loinc}`, read: codes.join(', ') || 'none' }];
}

function compareLine(truth: TrueResult, read: ParsedResult, score: ResultScore): ResultDifference[] {
  const differences: ResultDifference[] = [];
  const check = (
    what: 'value' | 'unit' | 'range' | 'flag',
    [left, right]: readonly [string, string],
    same: boolean,
  ): void => {
    if (same) score[what] += 1;
    else differences.push({ what, truth: `${truth.name}: ${left}`, read: right });
  };
  const sameValue = valueKey(read.printedValue) === valueKey(truth.value);
  check('value', [truth.value, read.printedValue], sameValue);
  check(
    'unit',
    [truth.unit ?? '', read.unit ?? ''],
    toUnitKey(truth.unit ?? '') === toUnitKey(read.unit ?? ''),
  );
  check(
    'range',
    [truth.reference_range ?? '', read.referenceRange ?? ''],
    rangeKey(truth.reference_range ?? '') === rangeKey(read.referenceRange ?? ''),
  );
  const flag = flagOf(read) ?? '';
  // Critical flags count as high or low: `HH` is high.
  const wanted = (truth.flag ?? '').slice(0, 1);
  check(
    'flag',
    [wanted, `${flag} (${read.flag ?? ''})`],
    wanted === flag || (wanted === 'A' && flag !== '') || (wanted !== '' && flag === 'A'),
  );
  if (!sameValue && read.reviewReasons.length === 0) score.wrongWithoutWarning += 1;
  if (differences.length === 0) score.whole += 1;
  if (differences.length === 0 && read.reviewReasons.length > 0) score.warnedButRight += 1;
  return differences;
}

export function addScores(left: ResultScore, right: ResultScore): ResultScore {
  const sum = { ...left };
  for (const key of Object.keys(sum) as (keyof ResultScore)[]) sum[key] += right[key];
  return sum;
}
