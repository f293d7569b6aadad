import { type Candidate, WHOLE } from './candidates.ts';

/**
 * How often an answer with these properties was right: a logistic curve, fitted by `tools/loinc/calibrate.ts` to names
 * with letters misread, words left out or turned round, and to names of analytes that the index did not have.
 * calibration.test.ts checks it with other names.
 */
export const CURVE = { bias: -5.303, name: 2.532, exact: 0.696, margin: 8.8, unit: 1.769, conflict: 0.254 };

export interface Evidence {
  /** Likeness of the name, 0 to 1. */
  readonly name: number;
  /** The name is known as a whole. */
  readonly isExact: boolean;
  /** Distance to the best code of another analyte, at most 0.4. */
  readonly margin: number;
  readonly unit: -1 | 0 | 1;
}

/** A rival by a lesser part of the name counts less. */
const LESSER_NAME = 6;

export function evidenceOf(best: Candidate, all: readonly Candidate[]): Evidence {
  const own = new Set(best.target.codes);
  const isOurs = best.target.isAnalyte && best.name >= WHOLE;
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

/** Where the unit led to what only a part of the name says, while the whole is another analyte, nobody is sure. */
const UNSURE_MARGIN = 0.25;
const isPartOfAnother = (best: Candidate, all: readonly Candidate[]): boolean =>
  all.some(
    (one) =>
      one.target !== best.target && one.target.isAnalyte && one.name >= WHOLE && one.name > best.name + 0.02,
  );

/** 0 to 1: of answers that are said to be 0.9 sure, nine in ten are right. */
export function confidenceOf({ name, isExact, margin, unit }: Evidence): number {
  const exponent =
    CURVE.bias +
    CURVE.name * name +
    (isExact ? CURVE.exact : 0) +
    CURVE.margin * margin +
    (unit === 1 ? CURVE.unit : 0) +
    (unit === -1 ? CURVE.conflict : 0);
  return Math.round((1 / (1 + Math.exp(-exponent))) * 1_000) / 1_000;
}
