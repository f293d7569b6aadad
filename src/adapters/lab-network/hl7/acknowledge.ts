import type { Acknowledgement, LabAnswer, MessageHead } from '../wire.ts';
import { UnreadableMessage } from '../wire.ts';
import { writeMoment } from './moment.ts';
import { parse, readerOf } from './syntax.ts';
import { header, message, segment } from './write.ts';

const VERSIONS = /^2\.\d(\.\d)?$/;
const TEXT_MAX = 80;
const HAS_ERROR_TEXT = /^2\.[5-9]/;
/** HL7 table 0357: refused for its content, not for a mistake of the application. */
const REFUSED = ['207', 'Application internal error', 'HL70357'];

/** ACK in the version of the message, turned around: to whom it is from. */
export function acknowledge(head: MessageHead, { code, text, id, at }: Acknowledgement): Buffer {
  const version = VERSIONS.test(head.version) ? head.version : '2.5.1';
  const event = head.type.split('^')[1];
  const said = text?.slice(0, TEXT_MAX);
  const lines = [
    header({
      3: head.ourApplication,
      4: head.ourFacility,
      5: head.labApplication,
      6: head.labFacility,
      7: writeMoment(at),
      9: event ? ['ACK', event, 'ACK'] : ['ACK'],
      10: id,
      11: /^[PTD]$/.test(head.processing) ? head.processing : 'P',
      12: version,
      18: 'UNICODE UTF-8',
    }),
    segment('MSA', { 1: code, 2: head.controlId, 3: said }),
  ];
  if (code !== 'AA' && HAS_ERROR_TEXT.test(version)) {
    lines.push(segment('ERR', { 3: REFUSED, 4: 'E', 8: said }));
  }
  return message(lines);
}

/** Several acknowledgements as a batch; one as it is. */
export function joinAcknowledgements(acks: readonly Buffer[]): Buffer {
  if (acks.length === 1) return acks[0] ?? Buffer.alloc(0);
  const opening = Buffer.from('BHS|^~\\&\r');
  return Buffer.concat([opening, ...acks, Buffer.from(`BTS|${acks.length}\r`)]);
}

/** Accept acknowledgements of the enhanced mode say the same with other letters. */
// prettier-ignore
const CODES: Readonly<Record<string, LabAnswer['code']>> = {
  AA: 'AA', CA: 'AA', AE: 'AE', CE: 'AE', AR: 'AR', CR: 'AR',
};

/** What an acknowledgement says of the message with this control id; throws UnreadableMessage for one of another. */
export function readAcknowledgement(bytes: Buffer, controlId: string): LabAnswer {
  const parsed = parse(bytes);
  const read = readerOf(parsed);
  const msa = parsed.segments.find(({ name }) => name === 'MSA');
  const code = CODES[read.get(msa, 1) ?? ''];
  if (code === undefined) throw new UnreadableMessage('The answer has no MSA with AA, AE or AR');
  if (read.get(msa, 2) !== controlId) throw new UnreadableMessage('The answer is to another message');
  const err = parsed.segments.find(({ name }) => name === 'ERR');
  return { code, text: read.get(msa, 3) ?? read.get(err, 8) ?? read.get(err, 7) };
}
