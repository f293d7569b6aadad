import { isoDay } from '../platform/clock.ts';
import type { DocumentBlock, TableRow } from '../platform/pdf/block.ts';
import { COLOR } from '../platform/pdf/marks.ts';
import type { EarlierValue, ReportedRow, ReportFacts } from './report-rows.ts';
import { previousValue } from './report-trends.ts';
import { formatDay, formatTimestamp, formatUnit } from './format.ts';

const COLUMNS = [
  { title: 'Test', share: 6 },
  { title: 'Result', share: 3.8 },
  { title: 'Flag', share: 1.5 },
  { title: 'Unit', share: 2.8 },
  { title: 'Reference range', share: 3.2 },
] as const;

/** Properties of the table that depend on the whole report. */
interface ResultTableLayout {
  /** Whether there are several specimens, which adds a column for the specimen id. */
  readonly isMixed: boolean;
  /** The newest earlier value of each result that has one. */
  readonly previous: ReadonlyMap<ReportedRow, EarlierValue>;
  /** Names of tests that were measured at several times. Their rows show the time. */
  readonly repeated: ReadonlySet<string>;
}

/** All results with unit, range and flag, grouped by panel, with the previous value if there is one. */
export function buildResultTable({ results, specimens, earlier }: ReportFacts): DocumentBlock {
  const previous = new Map(
    results.flatMap((result) => {
      const value = previousValue(result, earlier);
      return value ? [[result, value] as const] : [];
    }),
  );
  const form = { isMixed: specimens.length > 1, previous, repeated: findRepeatedNames(results) };
  const panels = mapPanels(results);
  const rows: TableRow[] = [];
  let group: string | undefined;
  for (const result of groupByPanel(results, panels)) {
    const title = panels.get(result) ?? SINGLE_TESTS;
    if (title !== group && (title !== SINGLE_TESTS || group !== undefined))
      rows.push({ across: { text: title, bold: true }, isGroup: true });
    if (title !== SINGLE_TESTS || group !== undefined) group = title;
    rows.push(...resultRows(result, form));
  }
  const columns = [
    ...COLUMNS,
    ...(form.isMixed ? [{ title: 'Specimen', share: 3 }] : []),
    ...(previous.size > 0 ? [{ title: 'Previous', share: 3.6 }] : []),
  ];
  return { kind: 'table', columns, rows };
}

function findRepeatedNames(results: readonly ReportedRow[]): Set<string> {
  const times = new Map<string, string | null>();
  const repeated = new Set<string>();
  for (const { name, timestamp } of results) {
    if (times.has(name) && times.get(name) !== timestamp) repeated.add(name);
    times.set(name, timestamp);
  }
  return repeated;
}

const formatTestName = ({ name, timestamp }: ReportedRow, { repeated }: ResultTableLayout): string =>
  timestamp !== null && repeated.has(name) ? `${name} (${formatTimestamp(new Date(timestamp))})` : name;

/** Groups results by panel, also across orders. Each panel keeps the position of its first result. */
function groupByPanel(
  results: readonly ReportedRow[],
  panels: ReadonlyMap<ReportedRow, string>,
): readonly ReportedRow[] {
  const groups = new Map<string | ReportedRow, ReportedRow[]>();
  for (const result of results) {
    const key = panels.get(result) ?? result;
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  return [...groups.values()].flat();
}

/** Heading for results outside of any panel that follow a panel. */
const SINGLE_TESTS = 'Single tests';

/** The ordered panel of each result; single tests have none. */
function mapPanels(results: readonly ReportedRow[]): ReadonlyMap<ReportedRow, string> {
  const members = new Map<number, number>();
  for (const { source_markers: sources } of results) {
    const [source] = sources ?? [];
    if (source) members.set(source.marker_id, (members.get(source.marker_id) ?? 0) + 1);
  }
  return new Map(
    results.flatMap((result) => {
      const [source] = result.source_markers ?? [];
      return source && (members.get(source.marker_id) ?? 0) > 1 ? [[result, source.name] as const] : [];
    }),
  );
}

function resultRows(result: ReportedRow, form: ResultTableLayout): TableRow[] {
  const { isMixed, previous } = form;
  const flag = flagOf(result);
  const bold = flag !== '';
  const color = flag.startsWith('C') ? COLOR.alarm : COLOR.ink;
  const row: TableRow = [
    { text: formatTestName(result, form), bold },
    { text: result.result, bold, color },
    { text: flag, bold, color },
    formatUnit(result.unit ?? ''),
    result.reference_range ?? '',
    ...(isMixed ? [result.source_sample_id ?? ''] : []),
    ...(previous.size > 0 ? [formatPrevious(previous.get(result))] : []),
  ];
  const notes = result.notes === null || result.notes === '' ? [] : [result.notes];
  return [row, ...notes.map((text): TableRow => ({ across: { text: `Note: ${text}`, color: COLOR.soft } }))];
}

const formatPrevious = (value: EarlierValue | undefined): string =>
  value ? `${value.result}, ${formatDay(isoDay(value.at))}` : '';

/** The flag H, L, A or C, as explained in the legend; empty for a normal result. */
export function flagOf(result: ReportedRow): string {
  const side = result.is_above_max_range ? 'H' : result.is_below_min_range ? 'L' : '';
  if (result.interpretation === 'critical') return `C${side && ` ${side}`}`;
  return side === '' && result.interpretation === 'abnormal' ? 'A' : side;
}
