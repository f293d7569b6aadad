import type { ReportedResult } from '../adapters/lab-network/port.ts';
import type { TrendChart } from '../platform/pdf/block.ts';
import type { EarlierReport } from '../results/results/results.ts';
import type { EarlierValue, EarlierValues, ReportedRow } from './report-rows.ts';
import { formatDay, formatUnit } from './format.ts';
import { isoDay } from '../platform/clock.ts';

const comparisonKey = (loinc: string, unit: string | null) => `${loinc} ${unit ?? ''}`;

export function collectEarlierValues(reports: readonly EarlierReport[]): EarlierValues {
  const values = new Map<string, EarlierValue[]>();
  for (const { reportedAt, results } of reports) {
    const here = new Map(results.flatMap((result) => toComparableValue(result, reportedAt)));
    for (const [key, value] of here) values.set(key, [...(values.get(key) ?? []), value]);
  }
  return values;
}

/** Empty unless the result has a LOINC and is numeric. */
function toComparableValue(result: ReportedResult, at: Date): [string, EarlierValue][] {
  const { expected, type, unit, value, interpretation } = result;
  if (expected.loinc === null || type !== 'numeric') return [];
  const isRemarkable = interpretation === 'abnormal' || interpretation === 'critical';
  return [[comparisonKey(expected.loinc, unit), { value, result: result.result, at, isRemarkable }]];
}

/** The earlier values of a result followed by the result itself; undefined without earlier values. */
export function trendOf(result: ReportedRow, earlier: EarlierValues): TrendChart | undefined {
  if (result.loinc === null || result.value === null || result.type !== 'numeric') return undefined;
  const before = earlier.get(comparisonKey(result.loinc, result.unit)) ?? [];
  if (before.length === 0) return undefined;
  const isRemarkable = result.interpretation === 'abnormal' || result.interpretation === 'critical';
  return {
    values: [...before, { value: result.value, isRemarkable }],
    low: result.min_range_value,
    high: result.max_range_value,
    inWords: `Earlier: ${before.map((each) => formatEarlierValue(each, result.unit)).join('; ')}`,
  };
}

const formatEarlierValue = ({ result, at }: EarlierValue, unit: string | null): string =>
  `${[result, formatUnit(unit ?? '')].filter(Boolean).join(' ')} on ${formatDay(isoDay(at))}`;
