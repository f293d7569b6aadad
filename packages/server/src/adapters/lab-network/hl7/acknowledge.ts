import type { Acknowledgement, ReceivedAcknowledgement, MessageHead } from '../protocol.ts';
import { UnreadableMessageError } from '../protocol.ts';
import { writeTimestamp } from './timestamp.ts';
import { parseMessage, createFieldReader } from './syntax.ts';
import { writeHeader, writeMessage, writeSegment } from './write.ts';

const VERSIONS = /^2\.\d(\.\d)?$/;
const TEXT_MAX = 80;
const HAS_ERROR_TEXT = /^2\.[5-9]/;
/** HL7 table 0357. */
const INTERNAL_ERROR = ['207', 'Application internal error', 'HL70357'];

/** Writes an ACK in the version of the message, addressed to its sender. */
export function writeAcknowledgement(head: MessageHead, { code, text, id, at }: Acknowledgement): Buffer {
  const version = VERSIONS.test(head.version) ? head.version : '2.5.1';
  const event = head.type.split('^')[1];
  const said = text?.slice(0, TEXT_MAX);
  const lines = [
    writeHeader({
      3: head.ourApplication,
      4: head.ourFacility,
      5: head.labApplication,
      6: head.labFacility,
      7: writeTimestamp(at),
      9: event ? ['ACK', event, 'ACK'] : ['ACK'],
      10: id,
      11: /^[PTD]$/.test(head.processing) ? head.processing : 'P',
      12: version,
      18: 'UNICODE UTF-8',
    }),
    writeSegment('MSA', { 1: code, 2: head.controlId, 3: said }),
  ];
  if (code !== 'AA' && HAS_ERROR_TEXT.test(version)) {
    lines.push(writeSegment('ERR', { 3: INTERNAL_ERROR, 4: 'E', 8: said }));
  }
  return writeMessage(lines);
}

/** Joins several acknowledgements into a batch; returns a single one unchanged. */
export function joinAcknowledgements(acks: readonly Buffer[]): Buffer {
  if (acks.length === 1) return acks[0] ?? Buffer.alloc(0);
  const opening = Buffer.from('BHS|^~\\&\r');
  return Buffer.concat([opening, ...acks, Buffer.from(`BTS|${acks.length}\r`)]);
}

/** Maps accept acknowledgements of the enhanced mode (CA, CE, CR) to the original codes. */
// prettier-ignore
const ACKNOWLEDGEMENT_CODES: Readonly<Record<string, ReceivedAcknowledgement['code']>> = {
  AA: 'AA', CA: 'AA', AE: 'AE', CE: 'AE', AR: 'AR', CR: 'AR',
};

/** Parses the acknowledgement of a control id; throws UnreadableMessageError if it is for another message. */
export function readAcknowledgement(bytes: Buffer, controlId: string): ReceivedAcknowledgement {
  const parsed = parseMessage(bytes);
  const read = createFieldReader(parsed);
  const msa = parsed.segments.find(({ name }) => name === 'MSA');
  const code = ACKNOWLEDGEMENT_CODES[read.get(msa, 1) ?? ''];
  if (code === undefined)
    throw new UnreadableMessageError('The acknowledgement has no MSA segment with AA, AE or AR');
  if (read.get(msa, 2) !== controlId)
    throw new UnreadableMessageError('The acknowledgement is for another message');
  const err = parsed.segments.find(({ name }) => name === 'ERR');
  return { code, text: read.get(msa, 3) ?? read.get(err, 8) ?? read.get(err, 7) };
}
