import { type AnalyteKey, analyteOf } from './lexicon/limits.ts';
import { plain } from './plain.ts';

/** Whose range it is where the share and the count of a kind of cell stand in one line. */
export type Owner = 'share' | 'count';

interface Ends {
  /** Where ranges of shares end, in percent. */
  readonly share: readonly [number, number];
  /** Where ranges of counts end at the most, in thousands for a microlitre. */
  readonly count: number;
}

/** The upper ends of the ranges that laboratories print, children's among them; between the two nothing is said. */
const ENDS: Partial<Record<AnalyteKey, Ends>> = {
  neutrophils: { share: [30, 100], count: 20 },
  lymphocytes: { share: [25, 100], count: 15 },
  monocytes: { share: [4, 30], count: 2.5 },
  eosinophils: { share: [2, 25], count: 1.2 },
  basophils: { share: [0.7, 10], count: 0.4 },
  bands: { share: [3, 25], count: 1.2 },
};

/** "Polynucléaires basophiles" and "Absolute monocytes", which no check knows. */
const keyOf = (name: string): AnalyteKey | undefined =>
  analyteOf(name) ??
  (/\bbasop?[hf]/iu.test(name) ? 'basophils' : /\bmonoc[iy]t/iu.test(name) ? 'monocytes' : undefined);

/**
 * Of a share and a count the one that a range can be of: "1.8 - 7.5" is none of neutrophils in percent, whatever it
 * stands next to. The patient's own numbers do not tell, since they may lie anywhere. Undefined where it is open.
 */
export function ownerOf(name: string, range: string, countUnit?: string): Owner | undefined {
  const key = keyOf(name);
  if (key === 'wbc') return 'count';
  const scale = countUnit === undefined ? undefined : perMicrolitre(countUnit);
  return ownerAt(key, lastBound(range, scale ?? 1), scale ?? 1000);
}

function ownerAt(key: AnalyteKey | undefined, end: number | undefined, scale: number): Owner | undefined {
  if (end === undefined || end === 0) return undefined;
  if (end > 100) return 'count';
  const ends = key && ENDS[key];
  if (scale === 1) {
    // Of single cells in a microlitre ranges end at a hundred or so at least.
    if (ends && end >= ends.share[0] && end <= ends.share[1]) return 'share';
    return !ends && end > 20 ? undefined : end > 20 ? 'count' : 'share';
  }
  if (!ends) return undefined;
  if (end <= ends.count) return 'count';
  return end >= ends.share[0] && end <= ends.share[1] ? 'share' : undefined;
}

/** Whether a name is of a kind of cell, of which ranges can be told apart. */
export const isCell = (name: string): boolean => {
  const key = keyOf(name);
  return key !== undefined && ENDS[key] !== undefined;
};

/** How many cells for a microlitre one of the unit is: 1 for /mm³, 1000 for G/L. */
const perMicrolitre = (unit: string): number =>
  /^(?:[x×]?\s?10\^?6\/l|(?:cel\w*|zellen|cells)?\s?\/\s?(?:[uµμ]l|mm|mcl|cumm))/iu.test(plain(unit))
    ? 1
    : 1000;

/** Where a range ends. Three digits behind a point are thousands of single cells, and decimals of thousands of cells. */
function lastBound(range: string, scale: number): number | undefined {
  const digits =
    scale === 1
      ? range.replaceAll(/(?<=[1-9]\d{0,2})[ .,](?=\d{3}(?!\d))/gu, '')
      : range.replaceAll(/\s/gu, ' ');
  const bounds = [...digits.matchAll(/\d+(?:[.,]\d+)?/gu)].map(([text]) => Number(text.replace(',', '.')));
  return bounds.length > 0 ? Math.max(...bounds) : undefined;
}
