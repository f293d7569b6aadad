import { type AnalyteKey, matchAnalyte } from './lexicon/analyte-limits.ts';
import { normalizeText } from './text-normalization.ts';

/** The owner of a range when share and count of a cell type are in one row. */
export type RangeOwner = 'share' | 'count';

interface RangeEnds {
  /** Where ranges of shares end, in percent. */
  readonly share: readonly [number, number];
  /** The highest end of ranges of counts, in thousands per microliter. */
  readonly count: number;
}

/** Upper ends of printed ranges, including those for children; between the two limits nothing is decided. */
const ENDS: Partial<Record<AnalyteKey, RangeEnds>> = {
  neutrophils: { share: [30, 100], count: 20 },
  lymphocytes: { share: [25, 100], count: 15 },
  monocytes: { share: [4, 30], count: 2.5 },
  eosinophils: { share: [2, 25], count: 1.2 },
  basophils: { share: [0.7, 10], count: 0.4 },
  bands: { share: [3, 25], count: 1.2 },
};

/** "Polynucléaires basophiles" and "Absolute monocytes", which no panel check knows. */
const matchCell = (name: string): AnalyteKey | undefined =>
  matchAnalyte(name) ??
  (/\bbasop?[hf]/iu.test(name) ? 'basophils' : /\bmonoc[iy]t/iu.test(name) ? 'monocytes' : undefined);

/**
 * Whether a range belongs to the share or the count: "1.8 - 7.5" is not a range of neutrophils in percent, whatever is
 * next to it. The patient's own values decide nothing, as they may be anywhere. Undefined if undecided.
 */
export function findRangeOwner(name: string, range: string, countUnit?: string): RangeOwner | undefined {
  const key = matchCell(name);
  if (key === 'wbc') return 'count';
  const scale = countUnit === undefined ? undefined : countPerMicroliter(countUnit);
  return findOwnerByEnd(key, findUpperBound(range, scale ?? 1), scale ?? 1000);
}

function findOwnerByEnd(
  key: AnalyteKey | undefined,
  end: number | undefined,
  scale: number,
): RangeOwner | undefined {
  if (end === undefined || end === 0) return undefined;
  if (end > 100) return 'count';
  const ends = key && ENDS[key];
  if (scale === 1) {
    // Ranges of single cells per microliter end at a hundred or more.
    if (ends && end >= ends.share[0] && end <= ends.share[1]) return 'share';
    return !ends && end > 20 ? undefined : end > 20 ? 'count' : 'share';
  }
  if (!ends) return undefined;
  if (end <= ends.count) return 'count';
  return end >= ends.share[0] && end <= ends.share[1] ? 'share' : undefined;
}

/** Whether a name is a blood cell whose share and count ranges can be distinguished. */
export const isBloodCell = (name: string): boolean => {
  const key = matchCell(name);
  return key !== undefined && ENDS[key] !== undefined;
};

/** Cells per microliter of one unit: 1 for /mm³, 1000 for G/L. */
const countPerMicroliter = (unit: string): number =>
  /^(?:[x×]?\s?10\^?6\/l|(?:cel\w*|zellen|cells)?\s?\/\s?(?:[uµμ]l|mm|mcl|cumm))/iu.test(normalizeText(unit))
    ? 1
    : 1000;

/** The upper end of a range. Three digits after a point are single cells (1.500) or decimals of thousands. */
function findUpperBound(range: string, scale: number): number | undefined {
  const digits =
    scale === 1
      ? range.replaceAll(/(?<=[1-9]\d{0,2})[ .,](?=\d{3}(?!\d))/gu, '')
      : range.replaceAll(/\s/gu, ' ');
  const bounds = [...digits.matchAll(/\d+(?:[.,]\d+)?/gu)].map(([text]) => Number(text.replace(',', '.')));
  return bounds.length > 0 ? Math.max(...bounds) : undefined;
}
