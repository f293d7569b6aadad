import { type AnalyteKey, DIFFERENTIAL_CELLS, matchAnalyte } from './lexicon/analyte-limits.ts';
import { toUnitKey } from './units.ts';
import type { ParsedResult, ReviewReason } from './report-model.ts';

type PanelDoubt = readonly [ParsedResult, ReviewReason];

interface PanelValue {
  readonly line: ParsedResult;
  readonly value: number;
  readonly unit: string;
}

/** Checks results against each other: parts of a whole, and numbers that follow from others. */
export function checkPanels(lines: readonly ParsedResult[]): PanelDoubt[] {
  const shares = new Map<AnalyteKey, PanelValue>();
  const amounts = new Map<AnalyteKey, PanelValue>();
  for (const line of lines) {
    const key = matchAnalyte(line.testName);
    if (!key || line.value === null || line.comparator !== null || line.specimen === 'urine') continue;
    const known = { line, value: line.value, unit: toUnitKey(line.unit ?? '') };
    const place = known.unit === '%' && DIFFERENTIAL_CELLS.includes(key) ? shares : amounts;
    if (!place.has(key)) place.set(key, known);
  }
  return [
    ...checkDifferential(shares),
    ...checkAbsoluteCounts(shares, amounts),
    ...checkIndices(amounts),
    ...checkLipids(amounts),
    ...checkProteins(amounts),
  ];
}

const FULL_DIFFERENTIAL: readonly AnalyteKey[] = [
  'neutrophils',
  'lymphocytes',
  'monocytes',
  'eosinophils',
  'basophils',
];

function checkDifferential(shares: ReadonlyMap<AnalyteKey, PanelValue>): PanelDoubt[] {
  if (!FULL_DIFFERENTIAL.every((key) => shares.has(key))) return [];
  const parts = [...shares.values()];
  const sum = parts.reduce((total, { value }) => total + value, 0);
  return Math.abs(sum - 100) > 4 ? parts.map(({ line }) => [line, 'differential_not_near_100'] as const) : [];
}

/** Thousands of cells per microliter, whatever the unit. */
const toThousands = ({ value, unit }: PanelValue): number =>
  value > 200 && /^\/|^cells|^cel|mm3$|ul$/.test(unit) && !/10|k|thou/.test(unit) ? value / 1000 : value;

function checkAbsoluteCounts(
  shares: ReadonlyMap<AnalyteKey, PanelValue>,
  amounts: ReadonlyMap<AnalyteKey, PanelValue>,
): PanelDoubt[] {
  const white = amounts.get('wbc');
  if (!white) return [];
  return DIFFERENTIAL_CELLS.flatMap((key): PanelDoubt[] => {
    const share = shares.get(key);
    const amount = amounts.get(key);
    if (!share || !amount) return [];
    const [whole, part] =
      white.unit === amount.unit && white.value > 200
        ? [white.value / 1000, amount.value / 1000]
        : [toThousands(white), toThousands(amount)];
    const expected = (share.value / 100) * whole;
    const isOff = Math.abs(expected - part) > Math.max(0.15, expected * 0.15);
    return isOff
      ? [
          [share.line, 'absolute_differs_from_percent'],
          [amount.line, 'absolute_differs_from_percent'],
        ]
      : [];
  });
}

function checkIndices(amounts: ReadonlyMap<AnalyteKey, PanelValue>): PanelDoubt[] {
  const hct = amounts.get('hct');
  const rbc = amounts.get('rbc');
  const mcv = amounts.get('mcv');
  if (!hct || !rbc || !mcv || rbc.value < 0.5 || rbc.value > 12) return [];
  const percent = hct.unit === 'l/l' || hct.value < 1 ? hct.value * 100 : hct.value;
  const expected = (percent / rbc.value) * 10;
  return Math.abs(expected - mcv.value) > Math.max(4, mcv.value * 0.06)
    ? [hct, rbc, mcv].map(({ line }) => [line, 'indices_disagree'] as const)
    : [];
}

function checkLipids(amounts: ReadonlyMap<AnalyteKey, PanelValue>): PanelDoubt[] {
  const [total, hdl, ldl, fat] = (['cholesterol', 'hdl', 'ldl', 'triglycerides'] as const).map((key) =>
    amounts.get(key),
  );
  if (!total || !hdl || !ldl || !fat || new Set([total.unit, hdl.unit, ldl.unit, fat.unit]).size > 1)
    return [];
  const isMolar = total.unit.startsWith('mmol');
  const limit = isMolar ? 4.5 : 400;
  if (fat.value > limit) return [];
  const expected = total.value - hdl.value - fat.value / (isMolar ? 2.2 : 5);
  return Math.abs(expected - ldl.value) > Math.max(isMolar ? 0.5 : 20, ldl.value * 0.2)
    ? [[ldl.line, 'ldl_differs_from_formula']]
    : [];
}

function checkProteins(amounts: ReadonlyMap<AnalyteKey, PanelValue>): PanelDoubt[] {
  const [total, albumin, globulin] = (['protein', 'albumin', 'globulin'] as const).map((key) =>
    amounts.get(key),
  );
  if (!total || !albumin || !globulin || total.unit !== globulin.unit || albumin.unit !== total.unit)
    return [];
  const isLitre = total.unit === 'g/l';
  const isOff = Math.abs(total.value - albumin.value - globulin.value) > (isLitre ? 3 : 0.3);
  return isOff ? [[globulin.line, 'globulin_differs_from_formula']] : [];
}
