import { type AnalyteKey, DIFFERENTIAL_CELLS, matchAnalyte } from './lexicon/analyte-limits.ts';
import { checkFormulas } from './panel-formulas.ts';
import { toUnitKey } from './units.ts';
import type { PanelDoubt, PanelValue } from './panel-value.ts';
import type { ParsedResult } from './report-model.ts';

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
    ...checkSumOfCounts(amounts),
    ...checkFormulas(amounts),
  ];
}

const FULL_DIFFERENTIAL: readonly AnalyteKey[] = [
  'neutrophils',
  'lymphocytes',
  'monocytes',
  'eosinophils',
  'basophils',
];

const SUM_TOLERANCE = 4;

const addValues = (parts: readonly { readonly value: number }[]): number =>
  parts.reduce((total, { value }) => total + value, 0);

/** To thousands per microliter; NaN for a unit that says nothing about it. */
const countFactor = (unit: string): number =>
  /10e?3|thou|tsd|^k\/|^g\/l|^gpt|nl$|109\/l/.test(unit)
    ? 1
    : /^(?:c\w+\.?)?\/(?:ul|mcl|mm3|mmc|cu?mm)$/.test(unit)
      ? 0.001
      : NaN;

/** The counts of the cells of a full differential are all white cells. */
function checkSumOfCounts(amounts: ReadonlyMap<AnalyteKey, PanelValue>): PanelDoubt[] {
  const white = amounts.get('wbc');
  const parts = FULL_DIFFERENTIAL.flatMap((key) => amounts.get(key) ?? []);
  if (!white || parts.length < FULL_DIFFERENTIAL.length || parts.some(({ unit }) => unit === '%')) return [];
  const rest = DIFFERENTIAL_CELLS.flatMap((key) =>
    FULL_DIFFERENTIAL.includes(key) ? [] : (amounts.get(key) ?? []),
  );
  const counted = [white, ...parts, ...rest].map(({ value, unit }) => value * countFactor(unit));
  if (!counted.every((value) => value >= 0)) return [];
  const [whole = 0, ...cells] = counted;
  const [least, most] = [cells.slice(0, parts.length), cells].map((some) =>
    some.reduce((sum, each) => sum + each, 0),
  );
  const isRight = [least, most].some(
    (sum) => sum !== undefined && Math.abs(sum - whole) <= Math.max(0.3, whole * 0.12),
  );
  return isRight ? [] : [white, ...parts].map(({ line }) => [line, 'differs_from_formula'] as const);
}

function checkDifferential(shares: ReadonlyMap<AnalyteKey, PanelValue>): PanelDoubt[] {
  const parts = [...shares.values()];
  const main = FULL_DIFFERENTIAL.flatMap((key) => shares.get(key) ?? []);
  const isFull = main.length === FULL_DIFFERENTIAL.length;
  // Bands and immature cells are counted apart, or as a part of the neutrophils.
  const sums = [addValues(main), addValues(parts)];
  const isRight = sums.some((sum) =>
    isFull ? Math.abs(sum - 100) <= SUM_TOLERANCE : sum <= 100 + SUM_TOLERANCE,
  );
  return isRight ? [] : parts.map(({ line }) => [line, 'differential_not_near_100'] as const);
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
