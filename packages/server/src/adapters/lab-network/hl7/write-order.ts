import type { RequestedTest, Requisition } from '../port.ts';
import type { OrderEnvelope } from '../protocol.ts';
import { writeTimestamp } from './timestamp.ts';
import { writeHeader, writeMessage, writeSegment, type Hl7Field } from './write.ts';

// prettier-ignore
const MESSAGE_TYPES = {
  ORM_O01: { type: ['ORM', 'O01'],            version: '2.3.1' },
  OML_O21: { type: ['OML', 'O21', 'OML_O21'], version: '2.5.1' },
} as const;

/** PID-8 by HL7 table 0001. */
export const GENDERS: Readonly<Record<string, string>> = { male: 'M', female: 'F', other: 'O' };

/** Writes a requisition as ORM^O01 (2.3.1) or OML^O21 (2.5.1). Deterministic. */
export function writeOrder(requisition: Requisition, envelope: OrderEnvelope): Buffer {
  const { tests } = requisition;
  return writeMessage(
    [
      writeOrderHeader(envelope),
      ...writePatient(requisition, envelope),
      ...tests.flatMap((test, index) => writeTest(requisition, envelope, { test, index })),
    ],
    envelope.characterSet,
  );
}

/** Cancels the order with the same placer number. */
export const writeCancellation = (envelope: OrderEnvelope): Buffer =>
  writeMessage(
    [
      writeOrderHeader(envelope),
      writeSegment('ORC', {
        1: 'CA',
        2: [envelope.placer, envelope.ourApplication],
        9: writeTimestamp(envelope.at),
      }),
      writeSegment('OBR', { 1: 1, 2: [envelope.placer, envelope.ourApplication] }),
    ],
    envelope.characterSet,
  );

function writeOrderHeader(envelope: OrderEnvelope): string {
  const { type, version } = MESSAGE_TYPES[envelope.messageType];
  return writeHeader({
    3: envelope.ourApplication,
    4: envelope.ourFacility,
    5: envelope.labApplication,
    6: envelope.labFacility,
    7: writeTimestamp(envelope.at),
    9: type,
    10: envelope.controlId,
    11: envelope.processing,
    12: version,
    18: envelope.characterSet,
  });
}

function writePatient(requisition: Requisition, { accountNumber }: OrderEnvelope): string[] {
  const { patient, insurance, clinicalNotes } = requisition;
  const account = requisition.accountNumber ?? accountNumber;
  const pid = writeSegment('PID', {
    1: 1,
    3: patient.id ?? requisition.orderId,
    5: [patient.lastName, patient.firstName],
    7: patient.dob.replaceAll('-', ''),
    8: GENDERS[patient.gender] ?? 'U',
    11: toAddressField(patient.address),
    13: patient.phone,
    18: account,
  });
  const lines = [pid, ...writeNotes(clinicalNotes), writeSegment('PV1', { 1: 1, 2: 'O' })];
  if (insurance) {
    lines.push(
      writeSegment('IN1', {
        1: 1,
        2: insurance.payorCode,
        3: insurance.payorCode,
        4: insurance.company,
        8: insurance.groupId,
        16: [insurance.insured.lastName, insurance.insured.firstName],
        17: insurance.relationship,
        18: insurance.insured.dob.replaceAll('-', ''),
        36: insurance.memberId,
      }),
    );
  }
  return lines;
}

const toAddressField = (address: Requisition['patient']['address']): Hl7Field =>
  address && [
    address.firstLine,
    address.secondLine,
    address.city,
    address.state,
    address.zip,
    address.country,
  ];

/** One NTE per line of text. */
const writeNotes = (text: string | null | undefined): string[] =>
  (text ?? '')
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '')
    .map((line, index) => writeSegment('NTE', { 1: index + 1, 2: 'P', 3: line }));

interface OrderedTestLine {
  readonly test: RequestedTest;
  readonly index: number;
}

function writeTest(
  requisition: Requisition,
  envelope: OrderEnvelope,
  { test, index }: OrderedTestLine,
): string[] {
  const { physician, priority, icdCodes, sampleId } = requisition;
  const placer = [envelope.placer, envelope.ourApplication];
  const orderedBy = physician && [physician.npi, physician.lastName, physician.firstName];
  const doctor: Hl7Field = orderedBy && [...orderedBy, null, null, null, null, null, 'NPI'];
  const moment = writeTimestamp(envelope.at);
  const timing = priority ? [null, null, null, null, null, 'S'] : null;
  const orc = writeSegment('ORC', {
    1: 'NW',
    2: placer,
    4: envelope.placer,
    7: timing,
    9: moment,
    12: doctor,
  });
  const obr = writeSegment('OBR', {
    1: index + 1,
    2: placer,
    4: [test.providerId ?? test.slug, test.name, 'L'],
    5: priority ? 'S' : 'R',
    6: moment,
    16: doctor,
    18: sampleId,
  });
  const diagnoses = (icdCodes ?? []).map((code, at) =>
    writeSegment('DG1', { 1: at + 1, 2: 'I10', 3: [code, null, 'I10'], 6: 'W' }),
  );
  const isOml = envelope.messageType === 'OML_O21';
  const specimen = isOml && sampleId ? [writeSegment('SPM', { 1: index + 1, 2: sampleId })] : [];
  return [orc, obr, ...diagnoses, ...writeAnswers(test), ...specimen];
}

/** Answers at order entry as OBX segments, with the laboratory's code of each question. */
const writeAnswers = ({ answers }: RequestedTest): string[] =>
  (answers ?? []).map(({ code, question, answer }, index) =>
    writeSegment('OBX', { 1: index + 1, 2: 'ST', 3: [code, question, 'L'], 5: answer, 11: 'F' }),
  );
