import type { ReportedResult } from '../adapters/lab-network/port.ts';
import type { TrendChart, TrendPoint } from '../platform/pdf/block.ts';
import type { EarlierReport } from '../results/results/results.ts';
import type { EarlierValue, EarlierValues, ReportedRow, ReportFacts } from './report-rows.ts';
import { formatDay, formatUnit } from './format.ts';
import { isoDay } from '../platform/clock.ts';

/** The values of earlier reports, by LOINC code. */
export function collectEarlierValues(reports: readonly EarlierReport[]): EarlierValues {
  const values = new Map<string, EarlierValue[]>();
  for (const { reportedAt, results } of reports) {
    const here = new Map(results.flatMap((result) => toEarlierValue(result, reportedAt)));
    for (const [loinc, value] of here) values.set(loinc, [...(values.get(loinc) ?? []), value]);
  }
  return values;
}

function toEarlierValue(result: ReportedResult, at: Date): [string, EarlierValue][] {
  const { expected, unit } = result;
  const plotted = toPlottedValue(result);
  if (expected.loinc === null || !plotted) return [];
  const isRemarkable = isOutOfRange(result.interpretation);
  return [[expected.loinc, { ...plotted, unit, result: result.result, at, isRemarkable }]];
}

const isOutOfRange = (interpretation: string | null): boolean =>
  interpretation === 'abnormal' || interpretation === 'critical';

type PlottedValue = Pick<EarlierValue, 'value' | 'isLimit'>;

/** The number of a result, or its limit for a result such as `<0.1`; undefined for words. */
function toPlottedValue({
  type,
  value,
  result,
}: Pick<ReportedRow, 'type' | 'value' | 'result'>): PlottedValue | undefined {
  if (type === 'numeric' && value !== null) return { value, isLimit: false };
  const [, limit] = /^[<>]=?\s*(\d+(?:\.\d+)?)$/.exec(result) ?? [];
  return type === 'range' && limit !== undefined ? { value: Number(limit), isLimit: true } : undefined;
}

/** The newest earlier value of a result in the same unit. */
export const previousValue = (
  { loinc, unit }: ReportedRow,
  earlier: EarlierValues,
): EarlierValue | undefined => (earlier.get(loinc ?? '') ?? []).findLast((value) => value.unit === unit);

/**
 * One chart for each quantity with earlier values. Values in another unit are not converted, because a factor depends
 * on the substance: the chart names them in a note.
 */
export function collectTrends({ results, earlier }: ReportFacts, reportedAt: Date): TrendChart[] {
  const series = new Map<string, ReportedRow[]>();
  for (const result of results) {
    if (result.loinc === null || !earlier.has(result.loinc) || !toPlottedValue(result)) continue;
    const key = `${result.loinc} ${result.unit ?? ''}`;
    series.set(key, [...(series.get(key) ?? []), result]);
  }
  return [...series.values()].flatMap((rows) => toTrendChart(rows, { earlier, reportedAt }));
}

interface TrendContext {
  readonly earlier: EarlierValues;
  readonly reportedAt: Date;
}

function toTrendChart(rows: readonly ReportedRow[], { earlier, reportedAt }: TrendContext): TrendChart[] {
  const last = rows.at(-1);
  if (!last) return [];
  const before = earlier.get(last.loinc ?? '') ?? [];
  const unit = formatUnit(last.unit ?? '');
  const same = before.filter((value) => value.unit === last.unit);
  const other = before.filter((value) => value.unit !== last.unit);
  const now = rows.flatMap((row) => toReportedPoint(row, reportedAt));
  const points = distinctPoints([...same.map(toPoint), ...now]);
  const range = last.reference_range ?? '';
  const note =
    other.length === 0
      ? null
      : `Not drawn, in another unit: ${other.map((value) => formatValue(value.result, value)).join('; ')}`;
  const values = points.map(({ label, at }) => formatValue(label, { unit: last.unit, at }));
  return [
    {
      title: last.name,
      subtitle: [unit, range === '' ? 'no reference range' : `reference range ${range}`]
        .filter(Boolean)
        .join('  ·  '),
      points,
      low: last.min_range_value,
      high: last.max_range_value,
      note,
      inWords: [`${last.name} over time: ${values.join('; ')}`, range && `reference range ${range}`, note]
        .filter(Boolean)
        .join('. '),
    },
  ];
}

const toPoint = ({ result, ...value }: EarlierValue): TrendPoint => ({ ...value, label: result });

function toReportedPoint(row: ReportedRow, reportedAt: Date): TrendPoint[] {
  const plotted = toPlottedValue(row);
  if (!plotted) return [];
  const at = row.timestamp === null ? reportedAt : new Date(row.timestamp);
  return [{ ...plotted, at, label: row.result, isRemarkable: isOutOfRange(row.interpretation) }];
}

/** Oldest first. A value that two panels of one report contain is one point. */
function distinctPoints(points: readonly TrendPoint[]): TrendPoint[] {
  const distinct = new Map(points.map((point) => [`${point.at.getTime()} ${point.label}`, point]));
  return [...distinct.values()].toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

const formatValue = (result: string, { unit, at }: { unit: string | null; at: Date }): string =>
  `${[result, formatUnit(unit ?? '')].filter(Boolean).join(' ')} on ${formatDay(isoDay(at))}`;
