import type { ReadLine } from '../../src/lab-reports/reading/word.ts';
import { sameUnitKey } from '../../src/lab-reports/reading/units.ts';
import { bare } from '../../src/lab-reports/reading/plain.ts';
import type { TrueLine } from './truth.ts';

/** Counts of one report, or of many added up. */
export interface Score {
  truth: number;
  read: number;
  found: number;
  value: number;
  unit: number;
  range: number;
  flag: number;
  /** Found lines of which value, unit, range and flag are right. */
  whole: number;
  /** Found lines whose truth has a LOINC code; how many have it as their first match, and among the first five. */
  coded: number;
  loincFirst: number;
  loincAmong: number;
  /** Found lines with a wrong value and no review reason. */
  wrongUnwarned: number;
  /** Lines with a review reason although everything is right. */
  warnedThoughRight: number;
}

export const NOTHING: Score = {
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
  wrongUnwarned: 0,
  warnedThoughRight: 0,
};

export interface Difference {
  readonly what: 'missed' | 'extra' | 'value' | 'unit' | 'range' | 'flag' | 'loinc';
  readonly truth: string;
  readonly read: string;
}

const tight = (text: string): string => bare(text).replaceAll(/[^\p{L}\p{N}%]/gu, '');
const valueKey = (text: string): string =>
  text.toLowerCase().replaceAll(/\s+/g, '').replaceAll('≥', '>=').replaceAll('≤', '<=').replaceAll('’', "'");
const rangeKey = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[–—−]/gu, '-')
    .replaceAll('≥', '>=')
    .replaceAll('≤', '<=')
    .replaceAll(/[\s;,:()[\]]/g, '');

/** The flag that a line amounts to: what is printed, else what its range says. */
export function flagOf(line: ReadLine): 'H' | 'L' | 'A' | null {
  if (line.flagLevel === 'high' || line.flagLevel === 'critical_high') return 'H';
  if (line.flagLevel === 'low' || line.flagLevel === 'critical_low') return 'L';
  if (line.flagLevel === 'normal') return null;
  if (line.isAboveMax) return 'H';
  if (line.isBelowMin) return 'L';
  return line.interpretation === 'abnormal' || line.interpretation === 'critical' ? 'A' : null;
}

/** Whether two names are the same, but for punctuation; loosely, when they share most of their words. */
function sameName(a: string, b: string, isLoose: boolean): boolean {
  const left = tight(a);
  const right = tight(b);
  if (left === right) return true;
  if (!isLoose) return false;
  const words = new Set(bare(a).split(' '));
  const others = bare(b).split(' ');
  const shared = others.filter((word) => words.has(word)).length;
  return (
    left.startsWith(right) || right.startsWith(left) || shared / Math.max(words.size, others.length) >= 0.6
  );
}

/** Pairs of what is there and what was read; each line is used once. Sure pairs first. */
function pair(truth: readonly TrueLine[], read: readonly ReadLine[]): Map<TrueLine, ReadLine> {
  const pairs = new Map<TrueLine, ReadLine>();
  const used = new Set<ReadLine>();
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

/** How a reading compares with the truth, in numbers and difference by difference. */
export function compare(
  truth: readonly TrueLine[],
  read: readonly ReadLine[],
  codings: readonly Coding[] = [],
): { score: Score; differences: Difference[] } {
  const pairs = pair(truth, read);
  const score: Score = { ...NOTHING, truth: truth.length, read: read.length, found: pairs.size };
  const differences: Difference[] = [];
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

/** What the coding of a line answers, as far as it is compared. */
interface Coding {
  readonly matches: readonly { readonly loinc_code: string }[];
}

function compareCode({ name, loinc }: TrueLine, coding: Coding | undefined, score: Score): Difference[] {
  if (!loinc || !coding) return [];
  const codes = coding.matches.slice(0, 5).map((match) => match.loinc_code);
  score.coded += 1;
  score.loincFirst += codes[0] === loinc ? 1 : 0;
  score.loincAmong += codes.includes(loinc) ? 1 : 0;
  return codes[0] === loinc
    ? []
    : [{ what: 'loinc', truth: `${name} | ${loinc}`, read: codes.join(', ') || 'none' }];
}

function compareLine(truth: TrueLine, read: ReadLine, score: Score): Difference[] {
  const differences: Difference[] = [];
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
    sameUnitKey(truth.unit ?? '') === sameUnitKey(read.unit ?? ''),
  );
  check(
    'range',
    [truth.reference_range ?? '', read.referenceRange ?? ''],
    rangeKey(truth.reference_range ?? '') === rangeKey(read.referenceRange ?? ''),
  );
  const flag = flagOf(read) ?? '';
  // Whether it is critical as well is another question: `HH` is high.
  const wanted = (truth.flag ?? '').slice(0, 1);
  check(
    'flag',
    [wanted, `${flag} (${read.flag ?? ''})`],
    wanted === flag || (wanted === 'A' && flag !== '') || (wanted !== '' && flag === 'A'),
  );
  if (!sameValue && read.reviewReasons.length === 0) score.wrongUnwarned += 1;
  if (differences.length === 0) score.whole += 1;
  if (differences.length === 0 && read.reviewReasons.length > 0) score.warnedThoughRight += 1;
  return differences;
}

export function add(left: Score, right: Score): Score {
  const sum = { ...left };
  for (const key of Object.keys(sum) as (keyof Score)[]) sum[key] += right[key];
  return sum;
}
