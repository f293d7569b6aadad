import { createSocket, type RemoteInfo } from 'node:dgram';

/** A name server on this machine that knows TXT records, and answers as it is told to. */
export interface DnsStandIn {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Names in lower case, and their TXT records. */
  readonly records: Map<string, string[]>;
  /** Names in lower case that were asked for, in order. */
  readonly asked: string[];
  /** What it does from now on: answer, say SERVFAIL, or be silent. */
  mood: 'answers' | 'fails' | 'silent';
  close(): Promise<void>;
}

const HEADER_BYTES = 12;
const NO_ERROR = 0;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;
const PIECE_BYTES = 255;

export async function openDns(): Promise<DnsStandIn> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const dns: DnsStandIn = {
    address: `127.0.0.1:${socket.address().port}`,
    records: new Map(),
    asked: [],
    mood: 'answers',
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
  socket.on('message', (query: Buffer, from: RemoteInfo) => {
    const { name, end } = readName(query);
    dns.asked.push(name);
    if (dns.mood === 'silent') return;
    const question = query.subarray(HEADER_BYTES, end + 4);
    socket.send(answerTo(query.readUInt16BE(0), question, answersOf(dns, name)), from.port, from.address);
  });
  return dns;
}

interface Answers {
  readonly code: number;
  readonly texts: readonly string[];
}

function answersOf(dns: DnsStandIn, name: string): Answers {
  if (dns.mood === 'fails') return { code: SERVER_FAILURE, texts: [] };
  const texts = dns.records.get(name);
  return { code: texts ? NO_ERROR : NO_SUCH_NAME, texts: texts ?? [] };
}

function answerTo(id: number, question: Buffer, { code, texts }: Answers): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(id, 0);
  // An answer, of one who has authority, to somebody who wanted recursion, which is available.
  header.writeUInt16BE(0x8580 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(texts.length, 6);
  return Buffer.concat([header, question, ...texts.map(recordOf)]);
}

/** A TXT record of the name that was asked for (a pointer to it), for no seconds. */
function recordOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length || at === 0; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    pieces.push(Buffer.of(piece.length), piece);
  }
  const data = Buffer.concat(pieces);
  const head = Buffer.from([
    0xc0,
    HEADER_BYTES,
    0,
    16,
    0,
    1,
    0,
    0,
    0,
    0,
    data.length >> 8,
    data.length & 0xff,
  ]);
  return Buffer.concat([head, data]);
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}
