import { type CURVE, type Evidence, evidenceOf } from '../../src/lab-reports/coding/confidence.ts';
import { candidatesFor, indexNames } from '../../src/lab-reports/coding/index-names.ts';
import { type Analyte, readAnalytes, readShippedCodes } from '../../src/lab-reports/coding/read-shipped.ts';
import { readFileSync } from 'node:fs';
import { dice, learnUnits, spoiledLines } from './spoil.ts';

export interface Answer extends Evidence {
  readonly isRight: boolean;
}
export type Curve = typeof CURVE;

const FOLDER = new URL('../../data/loinc/', import.meta.url);

function unitsOfCodes(): Map<string, string> {
  const [head = '', ...rows] = readFileSync(new URL('loinc.tsv', FOLDER), 'utf8').split('\n');
  const at = head.split('\t').indexOf('example_ucum_units');
  return new Map(rows.map((row) => [row.split('\t')[0] ?? '', row.split('\t')[at] ?? '']));
}

/**
 * Answers to spoiled names. A part of the analytes is left out of the index with its codes: what nobody knows must
 * not be answered with certainty either. Another seed is another choice of both.
 */
export function fittingSet(seed: number, count = 6_000): Answer[] {
  const random = dice(seed * 7_919);
  const analytes = readAnalytes(FOLDER);
  const unknown = new Set(analytes.filter(() => random() < 0.25).map((analyte) => analyte.key));
  const isKnown = (analyte: Analyte): boolean => !unknown.has(analyte.key);
  const all = new Map(readShippedCodes(FOLDER).map((code) => [code.code, code]));
  const kept = new Set(analytes.filter(isKnown).flatMap((analyte) => analyte.codes));
  const gone = new Set(
    analytes
      .filter((one) => !isKnown(one))
      .flatMap((one) => one.codes)
      .filter((code) => !kept.has(code)),
  );
  learnUnits(unitsOfCodes());
  const index = indexNames({
    codes: [...all.values()].filter(({ code }) => !gone.has(code)),
    analytes: analytes.filter(isKnown),
  });
  return spoiledLines({ analytes, codes: all, isKnown, count, seed }).flatMap(({ line, language, code }) => {
    const candidates = candidatesFor(index, line, random() < 0.7 ? { language } : {});
    const best = candidates[0];
    return best ? [{ ...evidenceOf(best, candidates), isRight: best.code.code === code }] : [];
  });
}

export const likelihood = (curve: Curve, { name, isExact, margin, unit }: Evidence): number =>
  1 /
  (1 +
    Math.exp(
      -(
        curve.bias +
        curve.name * name +
        (isExact ? curve.exact : 0) +
        curve.margin * margin +
        (unit === 1 ? curve.unit : 0) +
        (unit === -1 ? curve.conflict : 0)
      ),
    ));

/** Logistic regression by gradient descent; some thousand steps are some seconds. */
export function fit(answers: readonly Answer[]): Curve {
  const curve = { bias: 0, name: 0, exact: 0, margin: 0, unit: 0, conflict: 0 };
  const rate = 4;
  for (let step = 0; step < 6_000; step += 1) {
    const slope = { bias: 0, name: 0, exact: 0, margin: 0, unit: 0, conflict: 0 };
    for (const answer of answers) {
      const error = (answer.isRight ? 1 : 0) - likelihood(curve, answer);
      slope.bias += error;
      slope.name += error * answer.name;
      slope.exact += answer.isExact ? error : 0;
      slope.margin += error * answer.margin;
      slope.unit += answer.unit === 1 ? error : 0;
      slope.conflict += answer.unit === -1 ? error : 0;
    }
    for (const key of Object.keys(curve) as (keyof Curve)[])
      curve[key] += (rate * slope[key]) / answers.length;
  }
  for (const key of Object.keys(curve) as (keyof Curve)[])
    curve[key] = Math.round(curve[key] * 1_000) / 1_000;
  return curve;
}

/** How many of the answers of each tenth of certainty are right. */
export function judge(
  answers: readonly Answer[],
  curve: Curve,
): { from: number; count: number; right: number }[] {
  return [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9].map((from) => {
    const band = answers.filter(
      (answer) =>
        likelihood(curve, answer) >= from && likelihood(curve, answer) < (from === 0.9 ? 2 : from + 0.1),
    );
    return {
      from,
      count: band.length,
      right: band.filter(({ isRight }) => isRight).length / Math.max(1, band.length),
    };
  });
}
