import type { LoincCode, LoincSpecimen } from './code.ts';
import type { LineHints } from './hints.ts';
import { techniquePoints } from './techniques.ts';

/** How well a code agrees with a line, apart from the name. */
interface CodeAgreement {
  readonly points: number;
  /** 1 if unit and code agree, -1 if they contradict each other, 0 if unknown. */
  readonly unit: -1 | 0 | 1;
}

const WRONG_UNIT = -0.4;

/** Dimensions that are often printed without a unit. */
const WITHOUT_UNIT = new Set(['ratio', 'titer', 'per_creatinine', 'fraction']);

function unitAgreement(code: LoincCode, hints: LineHints): CodeAgreement {
  const { dimensions } = code;
  if (hints.isTiter)
    return dimensions.includes('titer') ? { points: 0.12, unit: 1 } : { points: -0.15, unit: 0 };
  if (!hints.isNumber) return wordAgreement(code, hints);
  if (!code.isNumeric)
    return hints.isSemiQuantitative
      ? { points: 0.14, unit: 0 }
      : { points: -0.3, unit: hints.hasUnit ? -1 : 0 };
  if (hints.dimensions.length === 0) {
    const fits = dimensions.length === 0 || dimensions.some((one) => WITHOUT_UNIT.has(one));
    return fits ? { points: 0.04, unit: 1 } : { points: -0.03, unit: 0 };
  }
  if (dimensions.length === 0) return { points: -0.1, unit: 0 };
  if (dimensions.some((one) => hints.dimensions.includes(one))) return { points: 0.12, unit: 1 };
  return { points: WRONG_UNIT, unit: -1 };
}

/** Words such as "negative" or "yellow" fit ordinal and nominal codes; with an area unit, numeric codes fit too. */
function wordAgreement(code: LoincCode, hints: LineHints): CodeAgreement {
  if (hints.dimensions.includes('area_count')) {
    if (!code.isNumeric) return { points: 0, unit: 0 };
    return code.dimensions.includes('area_count') ? { points: 0.02, unit: 1 } : { points: -0.3, unit: -1 };
  }
  if (!code.isNumeric) return { points: 0.12, unit: 1 };
  if (hints.hasUnit)
    return code.dimensions.some((one) => hints.dimensions.includes(one))
      ? { points: 0.1, unit: 1 }
      : { points: -0.3, unit: -1 };
  return code.dimensions.includes('titer') || code.dimensions.length === 0
    ? { points: 0, unit: 0 }
    : { points: -0.2, unit: 0 };
}

/** Specimens that a report always states. */
const NAMED_SPECIMENS = new Set<LoincSpecimen>(['csf', 'fluid', 'stool', 'semen', 'saliva', 'spot', 'other']);

function specimenPoints(code: LoincCode, hints: LineHints, usual: LoincSpecimen | null): number {
  if (code.specimen === null) return hints.specimen === null || hints.specimen === 'blood' ? 0.02 : -0.1;
  if (hints.specimen === code.specimen) return 0.06;
  if (hints.specimen === null && usual === code.specimen) return 0.03;
  if (NAMED_SPECIMENS.has(code.specimen)) return -0.45;
  if (code.specimen === 'arterial') return -0.2;
  if (hints.specimen === null) return code.specimen === 'blood' ? 0.03 : -0.08;
  if (hints.specimen === 'arterial' && code.specimen === 'blood') return -0.02;
  return hints.isSpecimenSure ? -0.5 : -0.25;
}

/** Hints that distinguish codes of one analyte, and the codes they favor. */
const HINTED_NAMES: readonly (readonly [keyof LineHints, RegExp])[] = [
  ['isFasting', /^fasting/i],
  ['isVenous', /\bvenous\b/i],
  ['isOfAnalyser', /\bin (?:\w+ )?blood\b/i],
  ['isByDna', /\bDNA\b/],
  ['isGroupWithRhesus', /^ABO (?:&|and) Rh group \[Type\] in Blood$/],
  ['isPerMinute', /\bug\/min\b/],
  ['isMassInMass', /^Albumin\/Creatinine \[Mass ratio\]/i],
  ['isOfOlderFormula', /\(CKD-EPI\)/],
];

function methodPoints(code: LoincCode, hints: LineHints): number {
  if (HINTED_NAMES.some(([said, names]) => hints[said] === true && names.test(code.longName))) return 0.05;
  const calculated = /calculation/i.test(code.longName);
  const direct = /direct assay/i.test(code.longName);
  if (hints.isCalculated && /Cholesterol in (?:LDL|VLDL)/.test(code.longName))
    return calculated ? 0.05 : -0.05;
  if (hints.isDirect && direct) return 0.05;
  const sensitive = /high sensitivity/i.test(code.longName);
  if (sensitive) return hints.isHighSensitivity || hints.dimensions.length === 0 ? 0.02 : -0.04;
  return techniquePoints(code, hints.techniques);
}

/** Penalty for a code that is not IgE when the line has an allergen code. */
const OTHER_KIND = -0.5;

/** `usual` is the default specimen of the analyte, which reports often omit. */
export function scoreAgreement(
  code: LoincCode,
  hints: LineHints,
  usual: LoincSpecimen | null,
): CodeAgreement {
  const { points, unit } = unitAgreement(code, hints);
  const timed = code.isTimed ? (hints.isTimed ? 0.06 : -0.3) : hints.isTimed ? -0.15 : 0;
  const specimen = specimenPoints(code, hints, usual);
  const isOther = hints.isOfAllergen && !/\bIgE\b/.test(code.longName);
  return {
    points: points + specimen + timed + methodPoints(code, hints) + (isOther ? OTHER_KIND : 0),
    unit: specimen <= -0.25 || isOther ? -1 : unit,
  };
}
