import { type CodeCandidate, WHOLE_NAME } from './candidates.ts';

/**
 * Coefficients of the logistic regression for the probability that a match is right. Fitted by
 * `tools/loinc/calibrate.ts` to names with misread letters and missing or reordered words, and to names of analytes
 * that are not in the index. calibration.test.ts validates it with other names.
 */
export const LOGISTIC_COEFFICIENTS = {
  bias: -5.303,
  name: 2.532,
  exact: 0.696,
  margin: 8.8,
  unit: 1.769,
  conflict: 0.254,
};

export interface MatchEvidence {
  /** Similarity of the name, 0 to 1. */
  readonly name: number;
  /** Whether the name matches exactly. */
  readonly isExact: boolean;
  /** Score distance to the best code of another analyte, at most 0.4. */
  readonly margin: number;
  readonly unit: -1 | 0 | 1;
}

/** A rival that matches less of the name counts less. */
const LESSER_NAME = 6;

export function collectEvidence(best: CodeCandidate, all: readonly CodeCandidate[]): MatchEvidence {
  const own = new Set(best.target.codes);
  const isOurs = best.target.isAnalyte && best.name >= WHOLE_NAME;
  const rival = all.find(
    (one) => one.target !== best.target && !own.has(one.code) && (one.target.isAnalyte || !isOurs),
  );
  const apart = rival
    ? best.score - rival.score + LESSER_NAME * Math.max(0, best.name - rival.name)
    : best.score;
  return {
    name: Math.min(1, best.name),
    isExact: best.name >= 0.9,
    margin: Math.max(0, Math.min(isPartOfAnother(best, all) ? UNSURE_MARGIN : 0.4, apart)),
    unit: best.unit,
  };
}

/** The margin when the unit favors a match of a part of the name, while the whole name is another analyte. */
const UNSURE_MARGIN = 0.25;
const isPartOfAnother = (best: CodeCandidate, all: readonly CodeCandidate[]): boolean =>
  all.some(
    (one) =>
      one.target !== best.target &&
      one.target.isAnalyte &&
      one.name >= WHOLE_NAME &&
      one.name > best.name + 0.02,
  );

/** Calibrated probability, 0 to 1: of matches with confidence 0.9, nine in ten are right. */
export function estimateConfidence({ name, isExact, margin, unit }: MatchEvidence): number {
  const exponent =
    LOGISTIC_COEFFICIENTS.bias +
    LOGISTIC_COEFFICIENTS.name * name +
    (isExact ? LOGISTIC_COEFFICIENTS.exact : 0) +
    LOGISTIC_COEFFICIENTS.margin * margin +
    (unit === 1 ? LOGISTIC_COEFFICIENTS.unit : 0) +
    (unit === -1 ? LOGISTIC_COEFFICIENTS.conflict : 0);
  return Math.round((1 / (1 + Math.exp(-exponent))) * 1_000) / 1_000;
}
