import { together, type Block, type Fields, type Paper } from '../../platform/pdf/block.ts';
import { ageAt } from '../../people/schema.ts';
import { COLOR } from '../../platform/pdf/marks.ts';
import { LOINC_NOTICE } from './loinc-notice.ts';
import { flagOf, resultTable } from './report-table.ts';
import type { ReportedSpecimen, ReportFacts } from './report-rows.ts';
import { trendOf } from './report-trends.ts';
import { lastNameFirst, written, writtenDay, writtenMoment, writtenSex } from './words.ts';

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
      ...remarkBlocks(facts),
      { kind: 'gap', height: 8 },
      // On one page, so that none has nothing but its end.
      together(small([...legendOf(facts), `End of the report of ${laboratory.name}.`])),
    ],
  };
}

const versionOf = ({ version }: Pick<ReportFacts, 'version'>): string =>
  version === null ? '' : `  ·  version ${version}`;

const STATUS = { partial: 'PARTIAL', final: 'FINAL', corrected: 'CORRECTED' } as const;

const FLAGS =
  'Flags: H above the range, L below the range, A abnormal, C critical. A range is the laboratory’s own for the patient it was told of; where none is printed, the laboratory gave none.';
const TREND =
  'Trend: what was measured of this patient before, in the same unit, the oldest left, the result of this report last and darkest; what was out of range is red. The band behind is the reference range. Bars do not begin at zero.';

const small = (texts: readonly string[]): Block[] =>
  texts.flatMap((text) => [
    { kind: 'text', text, size: 7.5, color: COLOR.soft } as const,
    { kind: 'gap', height: 2 } as const,
  ]);

const legendOf = ({ results, earlier }: ReportFacts): string[] => [
  FLAGS,
  ...(results.some((result) => trendOf(result, earlier)) ? [TREND] : []),
  ...(results.some(({ loinc }) => loinc !== null) ? [LOINC_NOTICE] : []),
];

const newestReport = ({ specimens }: ReportFacts): Date =>
  new Date(Math.max(...specimens.map(({ reportedAt }) => reportedAt.getTime())));

function headBlocks({ laboratory, status, version }: ReportFacts): Block[] {
  const clia = laboratory.clia === null ? '' : `CLIA ${laboratory.clia}`;
  const left: Block[] = [
    { kind: 'text', text: laboratory.name, size: 15, bold: true },
    { kind: 'text', text: [laboratory.address, clia].filter(Boolean).join('  ·  '), size: 8 },
  ];
  const right: Block[] = [
    { kind: 'text', text: 'LABORATORY REPORT', size: 11, bold: true, isTitle: true },
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

const collectedOf = (specimens: readonly ReportedSpecimen[]): Date | undefined =>
  specimens.at(-1)?.collectedAt ?? specimens.at(-1)?.reportedAt;

const bornOf = (dob: string, at: Date | undefined): string =>
  at ? `${writtenDay(dob)} (age ${ageAt(at, dob)})` : writtenDay(dob);

const patientFields = ({ patient, specimens }: ReportFacts): Fields => ({
  kind: 'fields',
  title: 'Patient',
  columns: 2,
  fields: [
    ['Name (last, first)', patient ? lastNameFirst(patient) : ''],
    ['Date of birth', patient ? bornOf(patient.dob, collectedOf(specimens)) : ''],
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
      ? { kind: 'notice', text: `CRITICAL RESULT. ${text}`, color: COLOR.alarm }
      : { kind: 'text', text, bold: true },
  ];
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

function remarkBlocks({ notes }: ReportFacts): Block[] {
  if (notes.length === 0) return [];
  return [
    { kind: 'heading', text: 'Remarks of the laboratory' },
    ...notes.map((text) => ({ kind: 'text', text }) as const),
  ];
}
