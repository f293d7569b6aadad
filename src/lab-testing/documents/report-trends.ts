import type { ReportedResult } from '../../adapters/lab-network/port.ts';
import type { Trend } from '../../platform/pdf/block.ts';
import type { EarlierReport } from '../results/results.ts';
import type { EarlierValue, EarlierValues, ReportedRow } from './report-rows.ts';
import { writtenDay, writtenUnit } from './words.ts';
import { isoDay } from '../../platform/clock.ts';

const keyOf = (loinc: string, unit: string | null) => `${loinc} ${unit ?? ''}`;

export function earlierValues(reports: readonly EarlierReport[]): EarlierValues {
  const values = new Map<string, EarlierValue[]>();
  for (const { reportedAt, results } of reports) {
    const here = new Map(results.flatMap((result) => comparable(result, reportedAt)));
    for (const [key, value] of here) values.set(key, [...(values.get(key) ?? []), value]);
  }
  return values;
}

/** A report that has a value twice, in two panels, has it once. */
function comparable(result: ReportedResult, at: Date): [string, EarlierValue][] {
  const { expected, type, unit, value, interpretation } = result;
  if (expected.loinc === null || type !== 'numeric') return [];
  const isRemarkable = interpretation === 'abnormal' || interpretation === 'critical';
  return [[keyOf(expected.loinc, unit), { value, result: result.result, at, isRemarkable }]];
}

/** What came before a result, with the result itself; none where nothing came before. */
export function trendOf(result: ReportedRow, earlier: EarlierValues): Trend | undefined {
  if (result.loinc === null || result.value === null || result.type !== 'numeric') return undefined;
  const before = earlier.get(keyOf(result.loinc, result.unit)) ?? [];
  if (before.length === 0) return undefined;
  const isRemarkable = result.interpretation === 'abnormal' || result.interpretation === 'critical';
  return {
    values: [...before, { value: result.value, isRemarkable }],
    low: result.min_range_value,
    high: result.max_range_value,
    inWords: `Earlier: ${before.map((each) => inWords(each, result.unit)).join('; ')}`,
  };
}

const inWords = ({ result, at }: EarlierValue, unit: string | null): string =>
  `${[result, writtenUnit(unit ?? '')].filter(Boolean).join(' ')} on ${writtenDay(isoDay(at))}`;
