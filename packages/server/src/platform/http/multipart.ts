import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { createHash } from 'node:crypto';
import busboy from 'busboy';
import { z } from 'zod';
import { DomainError } from '../errors.ts';

/** A file of an upload, whose bytes were stored while streaming. */
export interface UploadedFile {
  /** The key returned by `keep`. */
  readonly key: string;
  /** The media type that the sender declared. Not trusted. */
  readonly type: string;
  readonly bytes: number;
  /** SHA-256 in hex. */
  readonly digest: string;
}

/** The files of one field, for the body schema: `file: uploadedFiles()`. */
export const uploadedFiles = () => z.array(uploadedFile.meta({ type: 'string', format: 'binary' })).min(1);

/** Fields of a form are texts, so that only files are objects. */
const uploadedFile = z.custom<UploadedFile>(
  (value) => typeof value === 'object' && value !== null,
  'expected a file: a part with a filename',
);

export interface UploadLimits {
  /** Maximum bytes of all files together. */
  readonly limitBytes: number;
  readonly filesMax: number;
}

/** Stores the bytes of one file as they arrive, and returns its storage key. */
type StoreFile = (bytes: AsyncIterable<Buffer>) => Promise<string>;

export interface ParsedUpload {
  /** Fields and files by name. A repeated name becomes a list. */
  readonly body: Record<string, unknown>;
  readonly files: readonly UploadedFile[];
}

const FIELDS_MAX = 50;
const FIELD_BYTES_MAX = 16 * 1024;
/**
 * Up to this multiple of the limit is still read and discarded, because a sender that is cut off early never sees the
 * error.
 */
const DISCARD_FACTOR = 10;

/**
 * Reads a multipart/form-data body without ever holding it whole. Each file streams to `keep`, one after the other.
 * Throws 415 for another media type, 400 for a broken body or too many files or fields, 413 over the limit.
 */
export async function readMultipart(
  request: Readable & { headers: IncomingHttpHeaders },
  { limits, keep }: { limits: UploadLimits; keep: StoreFile },
): Promise<ParsedUpload> {
  const parser = openParser(request.headers, limits);
  const budget = new UploadBudget(limits.limitBytes);
  const body: Record<string, unknown> = {};
  const kept: Promise<{ name: string; file: UploadedFile }>[] = [];
  parser.on('field', (name, value, { valueTruncated }) => {
    if (valueTruncated) parser.destroy(new DomainError('bad_request', `The field ${name} is too long`));
    else addField(body, name, value);
  });
  parser.on('file', (name, stream, { mimeType }) => {
    // A body that ends too early fails its last file, perhaps before it is read. The parser reports that error.
    stream.on('error', () => {});
    const file = storeFile(stream as AsyncIterable<Buffer>, { type: mimeType, keep, budget });
    const named = file.then((value) => ({ name, file: value }));
    // The failure is handled at the end of the body; until then it must not count as unhandled.
    named.catch(() => stream.resume());
    kept.push(named);
  });
  const refuse = (what: string) => () => parser.destroy(new DomainError('bad_request', what));
  parser.on('filesLimit', refuse(`More than ${limits.filesMax} files`));
  parser.on('fieldsLimit', refuse(`More than ${FIELDS_MAX} fields`));
  const failure = await pipeIntoParser(request, parser);
  const settled = await Promise.allSettled(kept);
  const files = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const broken = settled.find((one) => one.status === 'rejected');
  const reason: unknown = budget.isExceeded ? tooLarge(limits) : (failure ?? broken?.reason);
  if (reason !== undefined)
    throw new UploadError(
      reason,
      files.map(({ file }) => file),
    );
  for (const { name, file } of files) body[name] = [...listOf(body[name]), file];
  return { body, files: files.map(({ file }) => file) };
}

export const isMultipart = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  /^multipart\//i.test(headers['content-type'] ?? '');

/**
 * Reads a body that is one file, as if it were the form field `name`. Throws 400 for a truncated body, 413 over the
 * limit.
 */
export async function readSingleFile(
  request: Readable & { headers: IncomingHttpHeaders },
  { limits, keep, name }: { limits: UploadLimits; keep: StoreFile; name: string },
): Promise<ParsedUpload> {
  const budget = new UploadBudget(limits.limitBytes);
  const type = request.headers['content-type'] ?? 'application/octet-stream';
  // The response still goes over this connection when reading stops early.
  const pieces = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  const file = await storeFile(pieces, { type, keep, budget }).catch((error: unknown) => {
    request.resume();
    const isCutOff = request.destroyed && !request.readableEnded;
    throw new UploadError(isCutOff ? new DomainError('bad_request', 'The body was cut off') : error, []);
  });
  if (budget.isExceeded) throw new UploadError(tooLarge(limits), [file]);
  return { body: { [name]: [file] }, files: [file] };
}

/** The cause of a failed upload, and the files that were already stored. */
export class UploadError extends Error {
  override readonly cause: unknown;
  readonly files: readonly UploadedFile[];
  constructor(cause: unknown, files: readonly UploadedFile[]) {
    super('The upload failed');
    this.cause = cause;
    this.files = files;
  }
}

function openParser(headers: IncomingHttpHeaders, { filesMax }: UploadLimits): busboy.Busboy {
  try {
    return busboy({
      headers,
      limits: { files: filesMax, fields: FIELDS_MAX, fieldSize: FIELD_BYTES_MAX, fieldNameSize: 100 },
    });
  } catch {
    throw new DomainError(
      'unsupported_media_type',
      'Expected a body of type multipart/form-data with a boundary',
    );
  }
}

/** Pipes the body into the parser. Resolves with the error if it could not be read to its end. */
function pipeIntoParser(request: Readable, parser: busboy.Busboy): Promise<DomainError | undefined> {
  return new Promise((resolve) => {
    const broken = (detail: string) => new DomainError('bad_request', detail);
    const stop = (why?: DomainError) => {
      request.unpipe(parser);
      request.resume();
      resolve(why);
    };
    parser.on('close', () => stop());
    parser.on('error', (error) =>
      stop(error instanceof DomainError ? error : broken('The body is not multipart/form-data')),
    );
    request.on('error', () => parser.destroy(broken('The body was cut off')));
    request.on('close', () => {
      if (!request.readableEnded) parser.destroy(broken('The body was cut off'));
    });
    request.pipe(parser);
  });
}

interface StoreFileOptions {
  readonly type: string;
  readonly keep: StoreFile;
  readonly budget: UploadBudget;
}

async function storeFile(
  stream: AsyncIterable<Buffer>,
  { type, keep, budget }: StoreFileOptions,
): Promise<UploadedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const piece of stream) {
      bytes += piece.length;
      hash.update(piece);
      if (budget.take(piece.length)) yield piece;
    }
  }
  const key = await keep(counted());
  return { key, type, bytes, digest: hash.digest('hex') };
}

/** The remaining byte budget of an upload. */
class UploadBudget {
  readonly #limit: number;
  #taken = 0;
  constructor(limit: number) {
    this.#limit = limit;
  }
  get isExceeded(): boolean {
    return this.#taken > this.#limit;
  }
  /** Whether these bytes are to be stored. Bytes over the limit are discarded, up to DISCARD_FACTOR times the limit. */
  take(bytes: number): boolean {
    this.#taken += bytes;
    if (this.#taken > this.#limit * DISCARD_FACTOR)
      throw new DomainError('too_large', 'The upload is many times larger than the limit');
    return !this.isExceeded;
  }
}

const tooLarge = ({ limitBytes }: UploadLimits) =>
  new DomainError('too_large', `The upload is larger than ${limitBytes} bytes`);

function addField(body: Record<string, unknown>, name: string, value: string): void {
  const before = body[name];
  body[name] = before === undefined ? value : [...listOf(before), value];
}

const listOf = (value: unknown): unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];
