import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DomainError } from '../errors.ts';
import { parseJson, decodeUtf8 } from './body.ts';
import type { BodyShare } from './body-memory.ts';

export interface BatchLimits {
  /** Maximum bytes of the body, before and after decompression. */
  readonly limitBytes: number;
  readonly itemsMax: number;
}

/** An item of a batch that could not be parsed. The other items are still processed. */
export class UnreadableItem {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

type IncomingBody = Readable & { readonly headers: IncomingHttpHeaders };

/**
 * Reads the body of a batch: JSON as `{"data": [...]}`, or NDJSON, which is converted to the same shape. Either may be
 * gzip-compressed. Limits apply while streaming: data beyond a limit is never decompressed or parsed. Throws 415 for
 * another media type or encoding, 413 over a limit, 400 for a broken body, 503 without memory for it.
 */
export async function readBatch(
  request: IncomingBody,
  limits: BatchLimits,
  share: BodyShare,
): Promise<unknown> {
  const form = bodyFormatOf(request.headers);
  if (Number(request.headers['content-length'] ?? 0) > limits.limitBytes) throw tooLong(limits);
  const pieces = decompress(request, limits, share);
  return form === 'lines' ? { data: await readLines(pieces, limits) } : readWhole(pieces, limits);
}

function bodyFormatOf({ 'content-type': type = '' }: IncomingHttpHeaders): 'whole' | 'lines' {
  const media = (type.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (media === 'application/x-ndjson' || media === 'application/ndjson') return 'lines';
  if (/^application\/([\w.-]+\+)?json$/.test(media)) return 'whole';
  throw new DomainError(
    'unsupported_media_type',
    'Expected a body of type application/json or application/x-ndjson',
  );
}

function isCompressed({ 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders): boolean {
  const name = encoding.trim().toLowerCase();
  if (name === 'identity' || name === '') return false;
  if (name === 'gzip' || name === 'x-gzip') return true;
  throw new DomainError('unsupported_media_type', 'Unsupported Content-Encoding; expected gzip or none');
}

/**
 * The decompressed bytes. After a refusal the rest is still drained, so that the sender can finish and read the
 * response.
 */
async function* decompress(
  request: IncomingBody,
  limits: BatchLimits,
  share: BodyShare,
): AsyncGenerator<Buffer> {
  const source = isCompressed(request.headers) ? gunzip(request) : request;
  let bytes = 0;
  try {
    for await (const piece of source.iterator({ destroyOnReturn: false })) {
      const buffer: Buffer = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece));
      bytes += buffer.length;
      if (bytes > limits.limitBytes) throw tooLong(limits);
      share.take(buffer.length);
      yield buffer;
    }
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new DomainError(
      'bad_request',
      source === request ? 'The body was cut off' : 'The body is not valid gzip',
    );
  } finally {
    request.unpipe();
    request.resume();
    if (source !== request) source.destroy();
  }
}

function gunzip(request: IncomingBody): Readable {
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
  const body = parseJson(decodeUtf8(Buffer.concat(all)));
  const items = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
  if (Array.isArray(items) && items.length > limits.itemsMax) throw tooMany(limits);
  return body;
}

const NEWLINE = 10;
const BLANK_BYTES = new Set([9, 10, 11, 12, 13, 32]);

async function readLines(pieces: AsyncIterable<Buffer>, limits: BatchLimits): Promise<unknown[]> {
  const items: unknown[] = [];
  let blanks = 0;
  const add = (line: Buffer) => {
    if (line.every((byte) => BLANK_BYTES.has(byte))) {
      // Blank lines are counted as well: a few kilobytes of gzip can contain millions of them.
      if (blanks === limits.itemsMax) throw tooMany(limits);
      blanks += 1;
      return;
    }
    if (items.length === limits.itemsMax) throw tooMany(limits);
    items.push(readItem(line));
  };
  let begun: Buffer[] = [];
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      const line = piece.subarray(from, end);
      add(begun.length === 0 ? line : Buffer.concat([...begun, line]));
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
    return parseJson(decodeUtf8(line));
  } catch (error) {
    if (!(error instanceof DomainError) || !Array.isArray(error.detail)) throw error;
    const reasons = error.detail.map(({ msg }) => msg.replace('The body', 'The line'));
    return new UnreadableItem(reasons.join('; '));
  }
}

const tooLong = ({ limitBytes }: BatchLimits) =>
  new DomainError('too_large', `The body is larger than ${limitBytes} bytes`);

const tooMany = ({ itemsMax }: BatchLimits) =>
  new DomainError('too_large', `The body has more than ${itemsMax} items; split it into several requests`);
