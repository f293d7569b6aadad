import type { z } from 'zod';
import type { Block, Fields, Paper, TableRow } from '../../platform/pdf/block.ts';
import { COLOR } from '../../platform/pdf/marks.ts';
import type { ResultView } from '../results/schema.ts';
import { lastNameFirst, written, writtenDay, writtenMoment, writtenSex, writtenUnit } from './words.ts';

type View = z.input<typeof ResultView>;
export type ReportedRow = View['results'][number];
export type MissingRow = NonNullable<View['missing_results']>[number];

export interface ReportedSpecimen {
  readonly id: string;
  readonly collectedAt: Date | undefined;
  readonly receivedAt: Date | undefined;
  readonly reportedAt: Date;
}

/** What a report of results says; of one order, or of all orders of a transaction together. */
export interface ReportFacts {
  /** `Order 0190...`, for the foot of the page. */
  readonly reference: string;
  readonly patient: {
    readonly first_name: string;
    readonly last_name: string;
    readonly dob: string;
    readonly gender: string;
    readonly phone_number: string;
  } | null;
  readonly laboratory: {
    readonly name: string;
    readonly clia: string | null;
    readonly address: string;
  };
  readonly physician:
    { readonly first_name: string; readonly last_name: string; readonly npi: string } | undefined;
  readonly accountNumber: string | null;
  readonly specimens: readonly ReportedSpecimen[];
  readonly status: 'partial' | 'final' | 'corrected';
  /** 1 is the first; later ones replace those before. None where several orders are reported together. */
  readonly version: number | null;
  readonly interpretation: 'normal' | 'abnormal' | 'critical' | 'unknown';
  readonly results: readonly ReportedRow[];
  readonly missing: readonly MissingRow[];
}

/** The report as a physician files it: who, by whom, when, and every value with its range and flag. */
export function reportPaper(facts: ReportFacts): Paper {
  const { laboratory, patient } = facts;
  const who = patient ? `${lastNameFirst(patient)}, born ${writtenDay(patient.dob)}` : '';
  const specimenIds = facts.specimens.map(({ id }) => id).join(', ');
  return {
    title: `Laboratory report ${specimenIds}`,
    createdAt: newestReport(facts),
    runningHead: ['Laboratory report', who, specimenIds, STATUS[facts.status]].filter(Boolean).join('  ·  '),
    foot: `${facts.reference}${versionOf(facts)}  ·  reported ${writtenMoment(newestReport(facts))}`,
    blocks: [
      ...headBlocks(facts),
      { kind: 'gap', height: 6 },
      { kind: 'columns', shares: [1, 1], parts: [[patientFields(facts)], [physicianFields(facts)]] },
      ...specimenBlocks(facts),
      ...summaryBlocks(facts),
      { kind: 'heading', text: 'Results' },
      resultTable(facts),
      ...missingBlocks(facts),
      { kind: 'gap', height: 8 },
      { kind: 'text', text: LEGEND, size: 7.5, color: COLOR.soft },
      { kind: 'text', text: `End of the report of ${laboratory.name}.`, size: 7.5, color: COLOR.soft },
    ],
  };
}

const versionOf = ({ version }: Pick<ReportFacts, 'version'>): string =>
  version === null ? '' : `  ·  version ${version}`;

const STATUS = { partial: 'PARTIAL', final: 'FINAL', corrected: 'CORRECTED' } as const;

const LEGEND =
  'Flags: H above the range, L below the range, A abnormal, C critical. A range is the laboratory’s own for the patient it was told of; where none is printed, the laboratory gave none.';

const newestReport = ({ specimens }: ReportFacts): Date =>
  new Date(Math.max(...specimens.map(({ reportedAt }) => reportedAt.getTime())));

function headBlocks({ laboratory, status, version }: ReportFacts): Block[] {
  const clia = laboratory.clia === null ? '' : `CLIA ${laboratory.clia}`;
  const left: Block[] = [
    { kind: 'text', text: laboratory.name, size: 15, bold: true },
    { kind: 'text', text: [laboratory.address, clia].filter(Boolean).join('  ·  '), size: 8 },
  ];
  const right: Block[] = [
    { kind: 'text', text: 'LABORATORY REPORT', size: 11, bold: true },
    { kind: 'text', text: `${STATUS[status]}${versionOf({ version })}`, size: 10, bold: true },
  ];
  return [{ kind: 'columns', shares: [3, 1.3], parts: [left, right] }, ...noteBlocks({ status, version })];
}

function noteBlocks({ status, version }: Pick<ReportFacts, 'status' | 'version'>): Block[] {
  const together = version === null ? ' It has the newest results of all orders of this test together.' : '';
  if (status === 'final' && version === 1) return [];
  const replaced =
    version !== null && version > 1 ? ` It replaces version ${version - 1} and all before it.` : '';
  const text = `${NOTES[status]}${replaced}${together}`;
  return [
    { kind: 'gap', height: 6 },
    { kind: 'notice', text },
  ];
}

const NOTES: Readonly<Record<ReportFacts['status'], string>> = {
  partial: 'Partial report: results that are not listed here are still to come.',
  final: 'Final report.',
  corrected: 'Corrected report: the laboratory has corrected results that it had reported before.',
};

const patientFields = ({ patient }: ReportFacts): Fields => ({
  kind: 'fields',
  title: 'Patient',
  columns: 2,
  fields: [
    ['Name (last, first)', patient ? lastNameFirst(patient) : ''],
    ['Date of birth', patient ? writtenDay(patient.dob) : ''],
    ['Sex', patient ? writtenSex(patient.gender) : ''],
    ['Phone', patient?.phone_number ?? ''],
  ],
});

const physicianFields = ({ physician, accountNumber }: ReportFacts): Fields => ({
  kind: 'fields',
  title: 'Ordered by',
  columns: 2,
  fields: [
    ['Physician (last, first)', physician ? lastNameFirst(physician) : ''],
    ['NPI', physician?.npi ?? ''],
    ['Account number', accountNumber ?? ''],
  ],
});

function specimenBlocks({ specimens }: ReportFacts): Block[] {
  const moment = (at: Date | undefined) => (at ? writtenMoment(at) : '—');
  return [
    { kind: 'gap', height: 5 },
    {
      kind: 'table',
      columns: ['Specimen', 'Collected', 'Received', 'Reported'].map((title) => ({ title, share: 1 })),
      rows: specimens.map(({ id, collectedAt, receivedAt, reportedAt }) => [
        { text: id, bold: true },
        moment(collectedAt),
        moment(receivedAt),
        moment(reportedAt),
      ]),
    },
  ];
}

function summaryBlocks({ interpretation, results }: ReportFacts): Block[] {
  const remarkable = results.filter((result) => flagOf(result) !== '').length;
  const counted = `${remarkable} of ${results.length} results ${remarkable === 1 ? 'is' : 'are'} flagged.`;
  const text = `Overall: ${written(interpretation)}. ${counted}`;
  return [
    { kind: 'gap', height: 6 },
    interpretation === 'critical'
      ? { kind: 'notice', text: `CRITICAL RESULT. ${text}` }
      : { kind: 'text', text, bold: true },
  ];
}

const COLUMNS = [
  { title: 'Test', share: 6 },
  { title: 'Result', share: 4 },
  { title: 'Flag', share: 1.4 },
  { title: 'Unit', share: 2.6 },
  { title: 'Reference range', share: 3.4 },
] as const;

function resultTable({ results, specimens }: ReportFacts): Block {
  const isMixed = specimens.length > 1;
  const rows: TableRow[] = [];
  let group: string | undefined;
  for (const result of results) {
    const title = groupOf(result, results);
    if (title !== undefined && title !== group)
      rows.push({ across: { text: title, bold: true }, isGroup: true });
    group = title;
    rows.push(...resultRows(result, isMixed));
  }
  const columns = isMixed ? [...COLUMNS, { title: 'Specimen', share: 3 }] : COLUMNS;
  return { kind: 'table', columns, rows };
}

/** The ordered panel that a result belongs to; none for a test of its own. */
function groupOf(result: ReportedRow, results: readonly ReportedRow[]): string | undefined {
  const source = result.source_markers?.[0];
  if (!source) return undefined;
  const isPanel = results.some(
    (other) => other !== result && other.source_markers?.[0]?.marker_id === source.marker_id,
  );
  return isPanel ? source.name : undefined;
}

function resultRows(result: ReportedRow, isMixed: boolean): TableRow[] {
  const flag = flagOf(result);
  const bold = flag !== '';
  const color = flag.startsWith('C') ? COLOR.alarm : COLOR.ink;
  const row: TableRow = [
    { text: result.name, bold },
    { text: result.result, bold, color },
    { text: flag, bold, color },
    writtenUnit(result.unit ?? ''),
    result.reference_range ?? '',
    ...(isMixed ? [result.source_sample_id ?? ''] : []),
  ];
  const notes = result.notes === null || result.notes === '' ? [] : [result.notes];
  return [row, ...notes.map((text): TableRow => ({ across: { text: `Note: ${text}`, color: COLOR.soft } }))];
}

function flagOf(result: ReportedRow): string {
  const side = result.is_above_max_range ? 'H' : result.is_below_min_range ? 'L' : '';
  if (result.interpretation === 'critical') return `C${side && ` ${side}`}`;
  return side === '' && result.interpretation === 'abnormal' ? 'A' : side;
}

function missingBlocks({ missing }: ReportFacts): Block[] {
  if (missing.length === 0) return [];
  return [
    { kind: 'heading', text: 'Ordered and not reported' },
    {
      kind: 'table',
      columns: [
        { title: 'Test', share: 1 },
        { title: 'Reason', share: 1 },
      ],
      rows: missing.map(({ name, note, inferred_failure_type: failure }) => [name, note ?? written(failure)]),
    },
  ];
}
