import type { LabReport, MissingResult, ReportedResult } from '../port.ts';
import type { Parties } from '../wire.ts';
import { writeMoment } from './moment.ts';
import { header, message, segment, type Field } from './write.ts';

/** What a laboratory knows of the order that it reports on. */
export interface ReportEnvelope extends Parties {
  readonly controlId: string;
  readonly placer: string;
  readonly filler: string;
  readonly processing: string;
  readonly patient: { id: string; firstName: string; lastName: string; dob: string; gender: string };
  /** Test codes by the marker that they stand for. */
  readonly codes: ReadonlyMap<number | null, { code: string; name: string }>;
  readonly collectedAt: Date;
  readonly at: Date;
}

const STATUSES = { partial: 'P', final: 'F', corrected: 'C' } as const;
const FLAGS = { normal: 'N', abnormal: 'A', critical: 'AA', unknown: '' } as const;

/** A report as a laboratory writes it: ORU^R01 of 2.5.1, an OBR for each test, an OBX for each result. */
export function writeReport(report: LabReport, envelope: ReportEnvelope): Buffer {
  const markers = [...new Set([...report.results, ...report.missing].map(({ markerId }) => markerId))];
  return message([
    header({
      3: envelope.labApplication,
      4: envelope.labFacility,
      5: envelope.ourApplication,
      6: envelope.ourFacility,
      7: writeMoment(envelope.at),
      9: ['ORU', 'R01', 'ORU_R01'],
      10: envelope.controlId,
      11: envelope.processing,
      12: '2.5.1',
      18: 'UNICODE UTF-8',
    }),
    patientLine(envelope),
    ...markers.flatMap((marker, index) => testLines(report, envelope, { marker, index })),
  ]);
}

const patientLine = ({ patient }: ReportEnvelope): string =>
  segment('PID', {
    1: 1,
    3: patient.id,
    5: [patient.lastName, patient.firstName],
    7: patient.dob,
    8: patient.gender,
  });

function testLines(
  report: LabReport,
  envelope: ReportEnvelope,
  { marker, index }: { marker: number | null; index: number },
): string[] {
  const of = ({ markerId }: { markerId: number | null }) => markerId === marker;
  const test = envelope.codes.get(marker) ?? { code: '', name: '' };
  const status = STATUSES[report.status];
  const obr = segment('OBR', {
    1: index + 1,
    2: envelope.placer,
    3: envelope.filler,
    4: [test.code, test.name, 'L'],
    7: writeMoment(envelope.collectedAt),
    14: writeMoment(envelope.collectedAt),
    22: writeMoment(report.reportedAt),
    25: status,
  });
  const results = report.results.filter(of).flatMap((one, at) => resultLines(one, { at, status }));
  const count = report.results.filter(of).length;
  const missing = report.missing.filter(of).flatMap((one, at) => missingLines(one, count + at));
  return [obr, ...results, ...missing];
}

/** The laboratory's code and the LOINC side by side. */
const named = ({ expected }: Pick<ReportedResult, 'expected'>): Field => {
  const own = [expected.providerId ?? expected.slug, expected.name, 'L'];
  return expected.loinc === null ? own : [...own, expected.loinc, expected.name, 'LN'];
};

function resultLines(result: ReportedResult, { at, status }: { at: number; status: string }): string[] {
  const comparator = /^([<>]=?)(.+)$/.exec(result.result);
  const structured = result.type === 'range' && comparator;
  const value: Field = structured
    ? [comparator[1], comparator[2]]
    : result.type === 'coded_value'
      ? [null, result.result]
      : result.result;
  const types = {
    numeric: 'NM',
    range: structured ? 'SN' : 'ST',
    comment: 'TX',
    coded_value: 'CWE',
  } as const;
  const obx = segment('OBX', {
    1: at + 1,
    2: types[result.type],
    3: named(result),
    5: value,
    6: result.unit,
    7: result.referenceRange,
    8: FLAGS[result.interpretation],
    11: status,
  });
  return [obx, ...noteLine(result.notes)];
}

/** What could not be measured is said with its reason, and without a value. */
const missingLines = (missing: MissingResult, at: number): string[] => [
  segment('OBX', { 1: at + 1, 2: 'ST', 3: named(missing), 11: 'X' }),
  ...noteLine(missing.note),
];

const noteLine = (note: string | null): string[] =>
  note === null ? [] : [segment('NTE', { 1: 1, 2: 'L', 3: note })];
