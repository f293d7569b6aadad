import {
  type LOGISTIC_COEFFICIENTS,
  type MatchEvidence,
  collectEvidence,
} from '../../packages/report-reader/src/coding/confidence.ts';
import { findCandidates, indexNames } from '../../packages/report-reader/src/coding/index-names.ts';
import {
  type CodedAnalyte,
  readAnalytes,
  readBundledCodes,
} from '../../packages/report-reader/src/coding/read-bundled.ts';
import { readFileSync } from 'node:fs';
import { seededRandom, setExampleUnits, corruptLines } from './corrupt-names.ts';

interface CodingAnswer extends MatchEvidence {
  readonly isRight: boolean;
}
type ConfidenceCurve = typeof LOGISTIC_COEFFICIENTS;

const FOLDER = new URL('../../packages/report-reader/data/loinc/', import.meta.url);

function readExampleUnits(): Map<string, string> {
  const [head = '', ...rows] = readFileSync(new URL('loinc.tsv', FOLDER), 'utf8').split('\n');
  const at = head.split('\t').indexOf('example_ucum_units');
  return new Map(rows.map((row) => [row.split('\t')[0] ?? '', row.split('\t')[at] ?? '']));
}

/**
 * Codings of corrupted names. Some analytes are left out of the index with their codes, because names that are not in
 * the index must not get a high confidence. The seed determines both choices.
 */
export function sampleAnswers(seed: number, count = 6_000): CodingAnswer[] {
  const random = seededRandom(seed * 7_919);
  const analytes = readAnalytes(FOLDER);
  const unknown = new Set(analytes.filter(() => random() < 0.25).map((analyte) => analyte.key));
  const isKnown = (analyte: CodedAnalyte): boolean => !unknown.has(analyte.key);
  const all = new Map(readBundledCodes(FOLDER).map((code) => [code.code, code]));
  const kept = new Set(analytes.filter(isKnown).flatMap((analyte) => analyte.codes));
  const gone = new Set(
    analytes
      .filter((one) => !isKnown(one))
      .flatMap((one) => one.codes)
      .filter((code) => !kept.has(code)),
  );
  setExampleUnits(readExampleUnits());
  const index = indexNames({
    codes: [...all.values()].filter(({ code }) => !gone.has(code)),
    analytes: analytes.filter(isKnown),
  });
  return corruptLines({ analytes, codes: all, isKnown, count, seed }).flatMap(({ line, language, code }) => {
    const candidates = findCandidates(index, line, random() < 0.7 ? { language } : {});
    const best = candidates[0];
    return best ? [{ ...collectEvidence(best, candidates), isRight: best.code.code === code }] : [];
  });
}

const likelihood = (curve: ConfidenceCurve, { name, isExact, margin, unit }: MatchEvidence): number =>
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

/** Logistic regression by gradient descent; a few thousand steps take a few seconds. */
export function fitCurve(answers: readonly CodingAnswer[]): ConfidenceCurve {
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
    for (const key of Object.keys(curve) as (keyof ConfidenceCurve)[])
      curve[key] += (rate * slope[key]) / answers.length;
  }
  for (const key of Object.keys(curve) as (keyof ConfidenceCurve)[])
    curve[key] = Math.round(curve[key] * 1_000) / 1_000;
  return curve;
}

/** The share of right codings in each tenth of confidence. */
export function accuracyByBand(
  answers: readonly CodingAnswer[],
  curve: ConfidenceCurve,
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
