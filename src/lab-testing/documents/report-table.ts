import type { Block, TableRow, Trend } from '../../platform/pdf/block.ts';
import { COLOR } from '../../platform/pdf/marks.ts';
import type { ReportedRow, ReportFacts } from './report-rows.ts';
import { trendOf } from './report-trends.ts';
import { writtenMoment, writtenUnit } from './words.ts';

const COLUMNS = [
  { title: 'Test', share: 6 },
  { title: 'Result', share: 3.8 },
  { title: 'Flag', share: 1.5 },
  { title: 'Unit', share: 2.8 },
  { title: 'Reference range', share: 3.2 },
] as const;

/** What of the table depends on the report as a whole. */
interface Form {
  /** Of several specimens: a column says which. */
  readonly isMixed: boolean;
  readonly trends: ReadonlyMap<ReportedRow, Trend>;
  /** What was measured at several times, by its name: each of its rows says when. */
  readonly repeated: ReadonlySet<string>;
}

/** Every result with its unit, range and flag, by panel; with what it was before, where that is known. */
export function resultTable({ results, specimens, earlier }: ReportFacts): Block {
  const trends = new Map(
    results.flatMap((result) => {
      const trend = trendOf(result, earlier);
      return trend ? [[result, trend] as const] : [];
    }),
  );
  const form = { isMixed: specimens.length > 1, trends, repeated: repeatedIn(results) };
  const panels = panelsOf(results);
  const rows: TableRow[] = [];
  let group: string | undefined;
  for (const result of byPanel(results, panels)) {
    const title = panels.get(result) ?? SINGLE;
    if (title !== group && (title !== SINGLE || group !== undefined))
      rows.push({ across: { text: title, bold: true }, isGroup: true });
    if (title !== SINGLE || group !== undefined) group = title;
    rows.push(...resultRows(result, form));
  }
  const columns = [
    ...COLUMNS,
    ...(form.isMixed ? [{ title: 'Specimen', share: 3 }] : []),
    ...(trends.size > 0 ? [{ title: 'Trend', share: 2.7 }] : []),
  ];
  return { kind: 'table', columns, rows };
}

function repeatedIn(results: readonly ReportedRow[]): Set<string> {
  const times = new Map<string, string | null>();
  const repeated = new Set<string>();
  for (const { name, timestamp } of results) {
    if (times.has(name) && times.get(name) !== timestamp) repeated.add(name);
    times.set(name, timestamp);
  }
  return repeated;
}

const nameOf = ({ name, timestamp }: ReportedRow, { repeated }: Form): string =>
  timestamp !== null && repeated.has(name) ? `${name} (${writtenMoment(new Date(timestamp))})` : name;

/** Panels stay together where several orders have a part of them; each stands where its first result does. */
function byPanel(
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

/** Above what follows a panel and belongs to none. */
const SINGLE = 'Single tests';

/** The ordered panel that each result belongs to; none for a test of its own. */
function panelsOf(results: readonly ReportedRow[]): ReadonlyMap<ReportedRow, string> {
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

function resultRows(result: ReportedRow, form: Form): TableRow[] {
  const { isMixed, trends } = form;
  const flag = flagOf(result);
  const bold = flag !== '';
  const color = flag.startsWith('C') ? COLOR.alarm : COLOR.ink;
  const row: TableRow = [
    { text: nameOf(result, form), bold },
    { text: result.result, bold, color },
    { text: flag, bold, color },
    writtenUnit(result.unit ?? ''),
    result.reference_range ?? '',
    ...(isMixed ? [result.source_sample_id ?? ''] : []),
    ...(trends.size > 0 ? [{ text: '', trend: trends.get(result) }] : []),
  ];
  const notes = result.notes === null || result.notes === '' ? [] : [result.notes];
  return [row, ...notes.map((text): TableRow => ({ across: { text: `Note: ${text}`, color: COLOR.soft } }))];
}

/** H, L, A or C, as the legend of the report says; empty for what is usual. */
export function flagOf(result: ReportedRow): string {
  const side = result.is_above_max_range ? 'H' : result.is_below_min_range ? 'L' : '';
  if (result.interpretation === 'critical') return `C${side && ` ${side}`}`;
  return side === '' && result.interpretation === 'abnormal' ? 'A' : side;
}
