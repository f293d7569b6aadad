import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DomainError } from '../errors.ts';
import { parseJson, textOf } from './body.ts';

export interface BatchLimits {
  /** The most bytes of the body, and of what it becomes when it is unpacked. */
  readonly limitBytes: number;
  readonly itemsMax: number;
}

/** An item of a batch that could not be read; the others can. */
export class Unread {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

type Incoming = Readable & { readonly headers: IncomingHttpHeaders };

/**
 * Reads the body of a batch: JSON as `{"data": [...]}`, or a line of JSON for each item, which becomes the same.
 * Either may be packed with gzip. It ends at its limits, wherever they are met: what is over them is never unpacked or
 * parsed. 415 for another media type or packing, 413 over a limit, 400 for what is broken.
 */
export async function readBatch(request: Incoming, limits: BatchLimits): Promise<unknown> {
  const form = formOf(request.headers);
  if (Number(request.headers['content-length'] ?? 0) > limits.limitBytes) throw tooLong(limits);
  const pieces = unpacked(request, limits);
  return form === 'lines' ? { data: await readLines(pieces, limits) } : readWhole(pieces, limits);
}

function formOf({ 'content-type': type = '' }: IncomingHttpHeaders): 'whole' | 'lines' {
  const media = (type.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (media === 'application/x-ndjson' || media === 'application/ndjson') return 'lines';
  if (/^application\/([\w.-]+\+)?json$/.test(media)) return 'whole';
  throw new DomainError(
    'unsupported_media_type',
    'Expected a body of type application/json or application/x-ndjson',
  );
}

function isPacked({ 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders): boolean {
  const name = encoding.trim().toLowerCase();
  if (name === 'identity' || name === '') return false;
  if (name === 'gzip' || name === 'x-gzip') return true;
  throw new DomainError('unsupported_media_type', 'Expected no Content-Encoding, or gzip');
}

/** The bytes as they were before they were packed. A sender who is refused in the middle can still end and hear why. */
async function* unpacked(request: Incoming, limits: BatchLimits): AsyncGenerator<Buffer> {
  const source = isPacked(request.headers) ? gunzip(request) : request;
  let bytes = 0;
  try {
    for await (const piece of source.iterator({ destroyOnReturn: false })) {
      const buffer: Buffer = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece));
      bytes += buffer.length;
      if (bytes > limits.limitBytes) throw tooLong(limits);
      yield buffer;
    }
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new DomainError(
      'bad_request',
      source === request ? 'The body was cut off' : 'The body is not what gzip makes',
    );
  } finally {
    request.unpipe();
    request.resume();
    if (source !== request) source.destroy();
  }
}

function gunzip(request: Incoming): Readable {
  const opened = createGunzip();
  request.on('error', (error) => opened.destroy(error));
  request.on('close', () => {
    if (!request.readableEnded) opened.destroy(new Error('cut off'));
  });
  return request.pipe(opened);
}

async function readWhole(pieces: AsyncIterable<Buffer>, limits: BatchLimits): Promise<unknown> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  const body = parseJson(textOf(Buffer.concat(all)));
  const items = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
  if (Array.isArray(items) && items.length > limits.itemsMax) throw tooMany(limits);
  return body;
}

const NEWLINE = 10;
const BLANKS = new Set([9, 10, 11, 12, 13, 32]);

async function readLines(pieces: AsyncIterable<Buffer>, limits: BatchLimits): Promise<unknown[]> {
  const items: unknown[] = [];
  const add = (line: Buffer) => {
    if (line.every((byte) => BLANKS.has(byte))) return;
    if (items.length === limits.itemsMax) throw tooMany(limits);
    items.push(readItem(line));
  };
  let begun: Buffer[] = [];
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      add(Buffer.concat([...begun, piece.subarray(from, end)]));
      begun = [];
      from = end + 1;
    }
    begun.push(piece.subarray(from));
  }
  add(Buffer.concat(begun));
  return items;
}

function readItem(line: Buffer): unknown {
  try {
    return parseJson(textOf(line));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return new Unread(String(error.detail).replace('The body', 'The line'));
  }
}

const tooLong = ({ limitBytes }: BatchLimits) =>
  new DomainError('too_large', `The body is larger than ${limitBytes} bytes`);

const tooMany = ({ itemsMax }: BatchLimits) =>
  new DomainError('too_large', `The body has more than ${itemsMax} items; send it in parts`);
