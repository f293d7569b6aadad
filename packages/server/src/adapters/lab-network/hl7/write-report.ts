import type { LabReport, MissingResult, ReportedResult, ReportEnvelope } from '../port.ts';
import { writeTimestamp } from './timestamp.ts';
import { GENDERS } from './write-order.ts';
import { writeHeader, writeMessage, writeSegment, type Hl7Field } from './write.ts';

const STATUSES = { partial: 'P', final: 'F', corrected: 'C' } as const;
const FLAGS = { normal: 'N', abnormal: 'A', critical: 'AA', unknown: '' } as const;

/** Writes a report as ORU^R01 (2.5.1), with an OBR for each test and an OBX for each result. */
export function writeReport(report: LabReport, envelope: ReportEnvelope): Buffer {
  const markers = [...new Set([...report.results, ...report.missing].map(({ markerId }) => markerId))];
  return writeMessage([
    writeHeader({
      3: envelope.labApplication,
      4: envelope.labFacility,
      5: envelope.ourApplication,
      6: envelope.ourFacility,
      7: writeTimestamp(envelope.at),
      9: ['ORU', 'R01', 'ORU_R01'],
      10: envelope.controlId,
      11: envelope.processing,
      12: '2.5.1',
      18: 'UNICODE UTF-8',
    }),
    writePatient(envelope),
    ...markers.flatMap((marker, index) => writeTest(report, envelope, { marker, index })),
  ]);
}

const writePatient = ({ patient }: ReportEnvelope): string =>
  writeSegment('PID', {
    1: 1,
    3: patient.id,
    5: [patient.lastName, patient.firstName],
    7: patient.dob,
    // The simulated laboratory repeats the code of the order.
    8: GENDERS[patient.gender] ?? patient.gender,
  });

function writeTest(
  report: LabReport,
  envelope: ReportEnvelope,
  { marker, index }: { marker: number | null; index: number },
): string[] {
  const of = ({ markerId }: { markerId: number | null }) => markerId === marker;
  const test = envelope.codes.get(marker) ?? { code: '', name: '' };
  const status = STATUSES[report.status];
  const obr = writeSegment('OBR', {
    1: index + 1,
    2: envelope.placer,
    3: envelope.filler,
    4: [test.code, test.name, 'L'],
    7: writeTimestamp(envelope.collectedAt),
    14: writeTimestamp(report.receivedAt == null ? envelope.collectedAt : new Date(report.receivedAt)),
    22: writeTimestamp(report.reportedAt),
    25: status,
  });
  const results = report.results.filter(of).flatMap((one, at) => writeResult(one, { at, status, report }));
  const count = report.results.filter(of).length;
  const missing = report.missing.filter(of).flatMap((one, at) => writeMissing(one, count + at));
  return [obr, ...results, ...missing];
}

/** The laboratory's code and the LOINC code in one field. */
const toCodedField = ({ expected }: Pick<ReportedResult, 'expected'>): Hl7Field => {
  const own = [expected.providerId ?? expected.slug, expected.name, 'L'];
  return expected.loinc === null ? own : [...own, expected.loinc, expected.name, 'LN'];
};

/** OBX-23.10 is the CLIA number of the performing laboratory, OBX-25 its director. */
const toLaboratoryFields = ({ clia, director }: LabReport): Readonly<Record<number, Hl7Field>> => ({
  ...(clia === null ? {} : { 23: [...Array<null>(9).fill(null), clia] }),
  ...(director == null ? {} : { 25: [null, director] }),
});

function writeResult(
  result: ReportedResult,
  { at, status, report }: { at: number; status: string; report: LabReport },
): string[] {
  const comparator = /^([<>]=?)(.+)$/.exec(result.result);
  const structured = result.type === 'range' && comparator;
  const value: Hl7Field = structured
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
  const obx = writeSegment('OBX', {
    1: at + 1,
    2: types[result.type],
    3: toCodedField(result),
    5: value,
    6: result.unit,
    7: result.referenceRange,
    8: FLAGS[result.interpretation],
    11: status,
    ...toLaboratoryFields(report),
  });
  return [obx, ...writeNote(result.notes)];
}

/** A missing result is an OBX with status X, without a value, and with its reason as a note. */
const writeMissing = (missing: MissingResult, at: number): string[] => [
  writeSegment('OBX', { 1: at + 1, 2: 'ST', 3: toCodedField(missing), 11: 'X' }),
  ...writeNote(missing.note),
];

const writeNote = (note: string | null): string[] =>
  note === null ? [] : [writeSegment('NTE', { 1: 1, 2: 'L', 3: note })];
