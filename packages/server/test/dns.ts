import { createSocket, type RemoteInfo } from 'node:dgram';

/** A local name server with TXT records and configurable behavior. */
export interface DnsStandIn {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** TXT records by lowercase name. */
  readonly records: Map<string, string[]>;
  /** Queried names in lowercase, in order. */
  readonly queries: string[];
  /** Answer, return SERVFAIL, or do not respond. */
  behavior: 'answers' | 'fails' | 'silent';
  close(): Promise<void>;
}

const HEADER_BYTES = 12;
const NO_ERROR = 0;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;
const STRING_BYTES_MAX = 255;

export async function openDnsStandIn(): Promise<DnsStandIn> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const dns: DnsStandIn = {
    address: `127.0.0.1:${socket.address().port}`,
    records: new Map(),
    queries: [],
    behavior: 'answers',
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
  socket.on('message', (query: Buffer, from: RemoteInfo) => {
    const { name, end } = readName(query);
    dns.queries.push(name);
    if (dns.behavior === 'silent') return;
    const question = query.subarray(HEADER_BYTES, end + 4);
    socket.send(encodeAnswer(query.readUInt16BE(0), question, lookUp(dns, name)), from.port, from.address);
  });
  return dns;
}

interface DnsAnswer {
  readonly code: number;
  readonly texts: readonly string[];
}

function lookUp(dns: DnsStandIn, name: string): DnsAnswer {
  if (dns.behavior === 'fails') return { code: SERVER_FAILURE, texts: [] };
  const texts = dns.records.get(name);
  return { code: texts ? NO_ERROR : NO_SUCH_NAME, texts: texts ?? [] };
}

function encodeAnswer(id: number, question: Buffer, { code, texts }: DnsAnswer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(id, 0);
  // Flags: response, authoritative, recursion desired, recursion available.
  header.writeUInt16BE(0x8580 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(texts.length, 6);
  return Buffer.concat([header, question, ...texts.map(encodeTxtRecord)]);
}

/** A TXT record for the queried name (as a compression pointer), with a TTL of 0. */
function encodeTxtRecord(text: string): Buffer {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length || at === 0; at += STRING_BYTES_MAX) {
    const piece = bytes.subarray(at, at + STRING_BYTES_MAX);
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
