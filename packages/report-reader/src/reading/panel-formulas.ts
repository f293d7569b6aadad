import type { AnalyteKey } from './lexicon/analyte-limits.ts';
import type { PanelDoubt, PanelValue } from './panel-value.ts';
import type { ReviewReason } from './report-model.ts';

/** A value that follows from others of the same report. */
interface PanelFormula {
  readonly of: AnalyteKey;
  readonly from: readonly AnalyteKey[];
  /** Undefined if the formula does not hold for these values. */
  readonly compute: (...values: readonly number[]) => number | undefined;
  /** The larger of the two, as an amount and as a share of the printed value, is tolerated. */
  readonly tolerance: readonly [amount: number, share: number];
  readonly reason: ReviewReason;
  /** All values must have this unit; without it, standard units of each analyte are compared. */
  readonly unit?: RegExp;
  /** By how many tolerances a value must differ to doubt the values it follows from, too. */
  readonly doubtsAllFrom?: number;
}

const MG = /^mg\/dl$/;
const MMOL = /^mmol\/l$/;
const G_PER_DL = /^gm?s?\/dl$|^g%$/;
const G_PER_L = /^g\/l$/;

const subtract = (whole = 0, part = 0): number => whole - part;
const divide = (one = 0, other = 0): number | undefined => (other > 0 ? one / other : undefined);

/** Friedewald; with more triglycerides it does not hold. */
const computeLdl =
  (divisor: number, limit: number) =>
  (total = 0, hdl = 0, fat = 0): number | undefined =>
    fat > limit ? undefined : total - hdl - fat / divisor;

// prettier-ignore
const FORMULAS: readonly PanelFormula[] = [
  { of: 'mcv', from: ['hct', 'rbc'], compute: (hct = 0, rbc = 0) => divide(10 * hct, rbc), tolerance: [4, 0.06], reason: 'indices_disagree' },
  { of: 'mch', from: ['hgb', 'rbc'], compute: (hgb = 0, rbc = 0) => divide(10 * hgb, rbc), tolerance: [1.5, 0.05], reason: 'indices_disagree' },
  { of: 'mchc', from: ['hgb', 'hct'], compute: (hgb = 0, hct = 0) => divide(100 * hgb, hct), tolerance: [1.8, 0.05], reason: 'indices_disagree' },
  { of: 'ldl', from: ['cholesterol', 'hdl', 'triglycerides'], compute: computeLdl(5, 400), tolerance: [20, 0.2], unit: MG, reason: 'ldl_differs_from_formula', doubtsAllFrom: 1.25 },
  { of: 'ldl', from: ['cholesterol', 'hdl', 'triglycerides'], compute: computeLdl(2.2, 4.5), tolerance: [0.5, 0.2], unit: MMOL, reason: 'ldl_differs_from_formula', doubtsAllFrom: 1.25 },
  { of: 'non_hdl', from: ['cholesterol', 'hdl'], compute: subtract, tolerance: [2, 0], unit: MG, reason: 'differs_from_formula' },
  { of: 'non_hdl', from: ['cholesterol', 'hdl'], compute: subtract, tolerance: [0.06, 0], unit: MMOL, reason: 'differs_from_formula' },
  { of: 'vldl', from: ['triglycerides'], compute: (fat = 0) => fat > 400 ? undefined : fat / 5, tolerance: [8, 0.35], unit: MG, reason: 'differs_from_formula' },
  { of: 'cholesterol_ratio', from: ['cholesterol', 'hdl'], compute: divide, tolerance: [0.15, 0.03], reason: 'differs_from_formula' },
  { of: 'globulin', from: ['protein', 'albumin'], compute: subtract, tolerance: [0.3, 0], unit: G_PER_DL, reason: 'globulin_differs_from_formula' },
  { of: 'globulin', from: ['protein', 'albumin'], compute: subtract, tolerance: [3, 0], unit: G_PER_L, reason: 'globulin_differs_from_formula' },
  { of: 'albumin_ratio', from: ['albumin', 'globulin'], compute: divide, tolerance: [0.15, 0.06], reason: 'differs_from_formula' },
  { of: 'bun_ratio', from: ['bun', 'creatinine'], compute: divide, tolerance: [1.1, 0.1], unit: MG, reason: 'differs_from_formula' },
  { of: 'indirect_bilirubin', from: ['bilirubin', 'direct_bilirubin'], compute: subtract, tolerance: [0.15, 0.05], unit: MG, reason: 'differs_from_formula' },
  { of: 'saturation', from: ['iron', 'tibc'], compute: (iron = 0, tibc = 0) => divide(100 * iron, tibc), tolerance: [2, 0.05], reason: 'differs_from_formula' },
  { of: 'average_glucose', from: ['a1c'], compute: (a1c = 0) => 28.7 * a1c - 46.7, tolerance: [4, 0.03], unit: MG, reason: 'differs_from_formula' },
];

/** Units of a quotient, which the numbers that it follows from do not have. */
const OWN_UNIT: ReadonlySet<AnalyteKey> = new Set(['bun_ratio', 'average_glucose', 'a1c']);

/** Values in the unit that the formulas count in. Hemoglobin in mmol/L is that of a quarter of its molecule. */
const STANDARD: Partial<Record<AnalyteKey, readonly (readonly [unit: RegExp, factor: number])[]>> = {
  hgb: [
    [/^g\/l$/, 0.1],
    [/^mmol\/l$/, 1.611],
    [/^gm?s?\/dl$|^g%$|^$/, 1],
  ],
  hct: [
    [/^l\/l$/, 100],
    [/^%$|^vol/, 1],
    [/^$/, 1],
  ],
  rbc: [
    [/^(?:cells)?\/(?:ul|mm3|cumm|cmm)$/, 1e-6],
    [/./, 1],
    [/^$/, 1],
  ],
  mcv: [
    [/^fl/, 1],
    [/^um/, 1],
    [/^$/, 1],
  ],
  mch: [
    [/^fmol/, 16.11],
    [/^pg/, 1],
    [/^$/, 1],
  ],
  mchc: [
    [/^g\/l$/, 0.1],
    [/^mmol\/l$/, 1.611],
    [/^gm?s?\/dl$|^g%$|^%$|^$/, 1],
  ],
};

/** Compares the values of a report with those that follow from others. */
export function checkFormulas(amounts: ReadonlyMap<AnalyteKey, PanelValue>): PanelDoubt[] {
  return FORMULAS.flatMap((formula) => checkFormula(formula, amounts));
}

function checkFormula(formula: PanelFormula, amounts: ReadonlyMap<AnalyteKey, PanelValue>): PanelDoubt[] {
  const own = amounts.get(formula.of);
  const from = formula.from.flatMap((key) => amounts.get(key) ?? []);
  if (!own || from.length < formula.from.length || !areComparable(formula, own, from)) return [];
  const printed = toStandard(formula.of, own);
  const values = from.map((each, at) => toStandard(formula.from[at], each));
  if (printed === undefined || !values.every((value) => value !== undefined)) return [];
  const expected = formula.compute(...values);
  const [amount, share] = formula.tolerance;
  const off = expected === undefined ? 0 : Math.abs(expected - printed) / Math.max(amount, share * printed);
  if (off <= 1 + ROUNDING) return [];
  const doubted = off > (formula.doubtsAllFrom ?? 1) ? [own, ...from] : [own];
  return doubted.map(({ line }) => [line, formula.reason] as const);
}

const ROUNDING = 1e-6;

function areComparable(formula: PanelFormula, own: PanelValue, from: readonly PanelValue[]): boolean {
  const { unit, of } = formula;
  if (STANDARD[of]) return true;
  const compared = from.filter((_, at) => !OWN_UNIT.has(formula.from[at] ?? of));
  if (unit)
    return [...(OWN_UNIT.has(of) && of !== 'average_glucose' ? [] : [own]), ...compared].every((each) =>
      unit.test(each.unit),
    );
  return new Set(compared.map((each) => each.unit)).size === 1;
}

function toStandard(key: AnalyteKey | undefined, { value, unit }: PanelValue): number | undefined {
  const units = key && STANDARD[key];
  if (!units) return value;
  const factor = units.find(([pattern]) => pattern.test(unit))?.[1];
  const standard = factor === undefined ? undefined : factor * value;
  if (key === 'hct' && standard !== undefined && standard < 1) return standard * 100;
  return key === 'rbc' && standard !== undefined && (standard < 0.5 || standard > 12) ? undefined : standard;
}
