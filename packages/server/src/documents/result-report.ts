import {
  keepTogether,
  type DocumentBlock,
  type FieldsBlock,
  type PdfDocument,
} from '../platform/pdf/block.ts';
import { ageAt } from '../people/schema.ts';
import { COLOR } from '../platform/pdf/marks.ts';
import { LOINC_NOTICE } from './loinc-notice.ts';
import { flagOf, buildResultTable } from './report-table.ts';
import type { ReportedSpecimen, ReportFacts } from './report-rows.ts';
import { collectTrends } from './report-trends.ts';
import { lastNameFirst, humanize, formatDay, formatTimestamp, formatSex } from './format.ts';

/** The printed laboratory report: patient, physician, times, and all results with range and flag. */
export function buildReport(facts: ReportFacts): PdfDocument {
  const { laboratory, patient } = facts;
  const who = patient ? `${lastNameFirst(patient)}, born ${formatDay(patient.dob)}` : '';
  const specimenIds = facts.specimens.map(({ id }) => id).join(', ');
  return {
    title: `Laboratory report ${specimenIds}`,
    createdAt: newestReport(facts),
    runningHeader: ['Laboratory report', who, specimenIds, STATUS_TITLES[facts.status]]
      .filter(Boolean)
      .join('  ·  '),
    footer: `${facts.reference}${versionOf(facts)}  ·  reported ${formatTimestamp(newestReport(facts))}`,
    blocks: [
      ...headBlocks(facts),
      { kind: 'gap', height: 6 },
      { kind: 'columns', shares: [1, 1], parts: [[patientFields(facts)], [physicianFields(facts)]] },
      ...specimenBlocks(facts),
      ...summaryBlocks(facts),
      { kind: 'heading', text: 'Results' },
      buildResultTable(facts),
      ...missingBlocks(facts),
      ...remarkBlocks(facts),
      ...enclosedBlocks(facts),
      ...trendBlocks(facts),
      { kind: 'gap', height: 8 },
      // Kept together, so that the last page does not contain only the closing line.
      keepTogether(smallPrint([...legendOf(facts), `End of the report of ${laboratory.name}.`])),
    ],
  };
}

const versionOf = ({ version }: Pick<ReportFacts, 'version'>): string =>
  version === null ? '' : `  ·  version ${version}`;

const STATUS_TITLES = { partial: 'PARTIAL', final: 'FINAL', corrected: 'CORRECTED' } as const;

const FLAGS_LEGEND =
  'Flags: H above the range, L below the range, A abnormal, C critical. Reference ranges are those that the laboratory reported for this patient; where none is printed, it reported none.';
const TREND_LEGEND =
  'Results over time: values of this patient in the same unit, by the date of the report. The last and largest point is the result of this report. Values that were flagged are red and bold. The band is the reference range of this report. A hollow point is a limit, as <0.1. The axis of values need not begin at zero.';

const smallPrint = (texts: readonly string[]): DocumentBlock[] =>
  texts.flatMap((text) => [
    { kind: 'text', text, size: 7.5, color: COLOR.soft } as const,
    { kind: 'gap', height: 2 } as const,
  ]);

const legendOf = (facts: ReportFacts): string[] => [
  FLAGS_LEGEND,
  ...(collectTrends(facts, newestReport(facts)).length > 0 ? [TREND_LEGEND] : []),
  ...(facts.results.some(({ loinc }) => loinc !== null) ? [LOINC_NOTICE] : []),
];

const newestReport = ({ specimens }: ReportFacts): Date =>
  new Date(Math.max(...specimens.map(({ reportedAt }) => reportedAt.getTime())));

function headBlocks({ laboratory, status, version }: ReportFacts): DocumentBlock[] {
  const clia = laboratory.clia === null ? '' : `CLIA ${laboratory.clia}`;
  const left: DocumentBlock[] = [
    { kind: 'text', text: laboratory.name, size: 15, bold: true },
    { kind: 'text', text: [laboratory.address, clia].filter(Boolean).join('  ·  '), size: 8 },
    ...(laboratory.director === null
      ? []
      : [{ kind: 'text', text: `Laboratory director: ${laboratory.director}`, size: 8 } as const]),
  ];
  const right: DocumentBlock[] = [
    { kind: 'text', text: 'LABORATORY REPORT', size: 11, bold: true, isTitle: true },
    { kind: 'text', text: `${STATUS_TITLES[status]}${versionOf({ version })}`, size: 10, bold: true },
  ];
  return [{ kind: 'columns', shares: [3, 1.3], parts: [left, right] }, ...noteBlocks({ status, version })];
}

function noteBlocks({ status, version }: Pick<ReportFacts, 'status' | 'version'>): DocumentBlock[] {
  const together = version === null ? ' It combines the newest results of all orders of this test.' : '';
  if (status === 'final' && version === 1) return [];
  const replaced =
    version !== null && version > 1 ? ` It replaces version ${version - 1} and all before it.` : '';
  const text = `${STATUS_NOTES[status]}${replaced}${together}`;
  return [
    { kind: 'gap', height: 6 },
    { kind: 'notice', text },
  ];
}

const STATUS_NOTES: Readonly<Record<ReportFacts['status'], string>> = {
  partial: 'Partial report: more results are pending.',
  final: 'Final report.',
  corrected: 'Corrected report: the laboratory has corrected earlier results.',
};

const collectedOf = (specimens: readonly ReportedSpecimen[]): Date | undefined =>
  specimens.at(-1)?.collectedAt ?? specimens.at(-1)?.reportedAt;

const formatBirth = (dob: string, at: Date | undefined): string =>
  at ? `${formatDay(dob)} (age ${ageAt(at, dob)})` : formatDay(dob);

const patientFields = ({ patient, specimens }: ReportFacts): FieldsBlock => ({
  kind: 'fields',
  title: 'Patient',
  columns: 2,
  fields: [
    ['Name (last, first)', patient ? lastNameFirst(patient) : ''],
    ['Date of birth', patient ? formatBirth(patient.dob, collectedOf(specimens)) : ''],
    ['Sex', patient ? formatSex(patient.gender) : ''],
    ['Phone', patient?.phone_number ?? ''],
  ],
});

const physicianFields = ({ physician, accountNumber }: ReportFacts): FieldsBlock => ({
  kind: 'fields',
  title: 'Ordered by',
  columns: 2,
  fields: [
    ['Physician (last, first)', physician ? lastNameFirst(physician) : ''],
    ['NPI', physician?.npi ?? ''],
    ['Account number', accountNumber ?? ''],
  ],
});

function specimenBlocks({ specimens }: ReportFacts): DocumentBlock[] {
  const moment = (at: Date | undefined) => (at ? formatTimestamp(at) : '—');
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

function summaryBlocks({ interpretation, results }: ReportFacts): DocumentBlock[] {
  const remarkable = results.filter((result) => flagOf(result) !== '').length;
  const counted = `${remarkable} of ${results.length} results ${remarkable === 1 ? 'is' : 'are'} flagged.`;
  const text = `Overall: ${humanize(interpretation)}. ${counted}`;
  return [
    { kind: 'gap', height: 6 },
    interpretation === 'critical'
      ? { kind: 'notice', text: `CRITICAL RESULT. ${text}`, color: COLOR.alarm }
      : { kind: 'text', text, bold: true },
  ];
}

function missingBlocks({ missing }: ReportFacts): DocumentBlock[] {
  if (missing.length === 0) return [];
  return [
    { kind: 'heading', text: 'Ordered and not reported' },
    {
      kind: 'table',
      columns: [
        { title: 'Test', share: 1 },
        { title: 'Reason', share: 1 },
      ],
      rows: missing.map(({ name, note, inferred_failure_type: failure }) => [
        name,
        note ?? humanize(failure),
      ]),
    },
  ];
}

function remarkBlocks({ notes }: ReportFacts): DocumentBlock[] {
  if (notes.length === 0) return [];
  return [
    { kind: 'heading', text: 'Remarks of the laboratory' },
    ...notes.map((text) => ({ kind: 'text', text }) as const),
  ];
}

function enclosedBlocks({ enclosed }: ReportFacts): DocumentBlock[] {
  if (enclosed.length === 0) return [];
  return [
    { kind: 'heading', text: 'Enclosed by the laboratory' },
    {
      kind: 'text',
      text: 'The laboratory sent its own report as PDF. The newest is attached to this file; a viewer lists it among the attachments. These pages do not repeat it.',
    },
    {
      kind: 'list',
      items: enclosed.map(
        ({ title, receivedAt }) => `${title ?? 'Report'} (PDF), received ${formatTimestamp(receivedAt)}`,
      ),
    },
  ];
}

/** Two charts side by side. */
function trendBlocks(facts: ReportFacts): DocumentBlock[] {
  const charts = collectTrends(facts, newestReport(facts)).map((chart) => [
    { kind: 'trend', chart } as const,
  ]);
  if (charts.length === 0) return [];
  const rows = Array.from({ length: Math.ceil(charts.length / 2) }, (_, index): DocumentBlock => {
    const [left = [], right = []] = charts.slice(index * 2, index * 2 + 2);
    return { kind: 'columns', shares: [1, 1], parts: [left, right] };
  });
  return [{ kind: 'heading', text: 'Results over time' }, ...rows];
}
