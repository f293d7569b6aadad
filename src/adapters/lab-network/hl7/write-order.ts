import type { RequestedTest, Requisition } from '../port.ts';
import type { OrderEnvelope } from '../wire.ts';
import { writeMoment } from './moment.ts';
import { header, message, segment, type Field } from './write.ts';

/** Which of a new order and its cancellation; ORC-1. */
export type OrderControl = 'NW' | 'CA';

// prettier-ignore
const MESSAGES = {
  ORM_O01: { type: ['ORM', 'O01'],            version: '2.3.1' },
  OML_O21: { type: ['OML', 'O21', 'OML_O21'], version: '2.5.1' },
} as const;

const GENDERS: Readonly<Record<string, string>> = { male: 'M', female: 'F', other: 'O' };

/** A requisition as ORM^O01 of 2.3.1 or OML^O21 of 2.5.1. Needs nothing but what it is given, so it is the same again. */
export function writeOrder(requisition: Requisition, envelope: OrderEnvelope): Buffer {
  const { tests } = requisition;
  return message([
    headerOf(envelope),
    ...patientLines(requisition, envelope),
    ...tests.flatMap((test, index) => testLines(requisition, envelope, { test, index })),
  ]);
}

/** Takes back what was placed under the same placer number. */
export const writeCancellation = (envelope: OrderEnvelope): Buffer =>
  message([
    headerOf(envelope),
    segment('ORC', { 1: 'CA', 2: [envelope.placer, envelope.ourApplication], 9: writeMoment(envelope.at) }),
    segment('OBR', { 1: 1, 2: [envelope.placer, envelope.ourApplication] }),
  ]);

function headerOf(envelope: OrderEnvelope): string {
  const { type, version } = MESSAGES[envelope.messageType];
  return header({
    3: envelope.ourApplication,
    4: envelope.ourFacility,
    5: envelope.labApplication,
    6: envelope.labFacility,
    7: writeMoment(envelope.at),
    9: type,
    10: envelope.controlId,
    11: envelope.processing,
    12: version,
    18: 'UNICODE UTF-8',
  });
}

function patientLines(requisition: Requisition, { accountNumber }: OrderEnvelope): string[] {
  const { patient, insurance, clinicalNotes } = requisition;
  const account = requisition.accountNumber ?? accountNumber;
  const pid = segment('PID', {
    1: 1,
    3: patient.id ?? requisition.orderId,
    5: [patient.lastName, patient.firstName],
    7: patient.dob.replaceAll('-', ''),
    8: GENDERS[patient.gender] ?? 'U',
    11: addressOf(patient.address),
    13: patient.phone,
    18: account,
  });
  const lines = [pid, ...notes(clinicalNotes), segment('PV1', { 1: 1, 2: 'O' })];
  if (insurance) {
    lines.push(
      segment('IN1', {
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

const addressOf = (address: Requisition['patient']['address']): Field =>
  address && [
    address.firstLine,
    address.secondLine,
    address.city,
    address.state,
    address.zip,
    address.country,
  ];

/** A comment for each line of a text. */
const notes = (text: string | null | undefined): string[] =>
  (text ?? '')
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '')
    .map((line, index) => segment('NTE', { 1: index + 1, 2: 'P', 3: line }));

interface Place {
  readonly test: RequestedTest;
  readonly index: number;
}

function testLines(requisition: Requisition, envelope: OrderEnvelope, { test, index }: Place): string[] {
  const { physician, priority, icdCodes, sampleId } = requisition;
  const placer = [envelope.placer, envelope.ourApplication];
  const orderedBy = physician && [physician.npi, physician.lastName, physician.firstName];
  const doctor: Field = orderedBy && [...orderedBy, null, null, null, null, null, 'NPI'];
  const moment = writeMoment(envelope.at);
  const timing = priority ? [null, null, null, null, null, 'S'] : null;
  const orc = segment('ORC', { 1: 'NW', 2: placer, 4: envelope.placer, 7: timing, 9: moment, 12: doctor });
  const obr = segment('OBR', {
    1: index + 1,
    2: placer,
    4: [test.providerId ?? test.slug, test.name, 'L'],
    5: priority ? 'S' : 'R',
    6: moment,
    16: doctor,
    18: sampleId,
  });
  const diagnoses = (icdCodes ?? []).map((code, at) =>
    segment('DG1', { 1: at + 1, 2: 'I10', 3: [code, null, 'I10'], 6: 'W' }),
  );
  const isOml = envelope.messageType === 'OML_O21';
  const specimen = isOml && sampleId ? [segment('SPM', { 1: index + 1, 2: sampleId })] : [];
  return [orc, obr, ...diagnoses, ...answersOf(test), ...specimen];
}

/** Answers at order entry as observations; the laboratory's code of the question where there is one. */
const answersOf = ({ answers }: RequestedTest): string[] =>
  (answers ?? []).map(({ code, question, answer }, index) =>
    segment('OBX', { 1: index + 1, 2: 'ST', 3: [code, question, 'L'], 5: answer, 11: 'F' }),
  );
