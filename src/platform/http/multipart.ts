import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { createHash } from 'node:crypto';
import busboy from 'busboy';
import { z } from 'zod';
import { DomainError } from '../errors.ts';

/** A file of an upload, whose bytes were kept as they came. */
export interface UploadedFile {
  /** What `keep` answered. */
  readonly key: string;
  /** The media type that the sender declared; not to be believed. */
  readonly type: string;
  readonly bytes: number;
  /** SHA-256 in hex. */
  readonly digest: string;
}

/** The files of one field, for the body's schema: `file: uploadedFiles()`. */
export const uploadedFiles = () =>
  z.array(z.custom<UploadedFile>().meta({ type: 'string', format: 'binary' })).min(1);

export interface UploadLimits {
  /** The most bytes of all files together. */
  readonly limitBytes: number;
  readonly filesMax: number;
}

/** Takes the bytes of one file as they come, and answers the name that they are kept by. */
export type KeepFile = (bytes: AsyncIterable<Buffer>) => Promise<string>;

export interface Upload {
  /** Fields and files by their names; a name that comes again becomes a list. */
  readonly body: Record<string, unknown>;
  readonly files: readonly UploadedFile[];
}

const FIELDS_MAX = 50;
const FIELD_BYTES_MAX = 16 * 1024;
/** So much more is still swallowed, because a sender who is cut off in the middle never sees why. */
const SWALLOWED_TIMES = 10;

/**
 * Reads a multipart/form-data body without ever holding it whole. Every file goes to `keep`, piece by piece, one after
 * the other. 415 for another media type, 400 for a broken body, too many files or fields, 413 over the limit.
 */
export async function readMultipart(
  request: Readable & { headers: IncomingHttpHeaders },
  { limits, keep }: { limits: UploadLimits; keep: KeepFile },
): Promise<Upload> {
  const parser = openParser(request.headers, limits);
  const budget = new Budget(limits.limitBytes);
  const body: Record<string, unknown> = {};
  const kept: Promise<{ name: string; file: UploadedFile }>[] = [];
  parser.on('field', (name, value, { valueTruncated }) => {
    if (valueTruncated) parser.destroy(new DomainError('bad_request', `The field ${name} is too long`));
    else add(body, name, value);
  });
  parser.on('file', (name, stream, { mimeType }) => {
    // A body that ends too early fails its last file, perhaps before anybody reads from it; that is told by the parser.
    stream.on('error', () => {});
    const file = keepFile(stream as AsyncIterable<Buffer>, { type: mimeType, keep, budget });
    const named = file.then((value) => ({ name, file: value }));
    // Its failure is looked at when the body is over; until then it must not count as unhandled.
    named.catch(() => stream.resume());
    kept.push(named);
  });
  const refuse = (what: string) => () => parser.destroy(new DomainError('bad_request', what));
  parser.on('filesLimit', refuse(`More than ${limits.filesMax} files`));
  parser.on('fieldsLimit', refuse(`More than ${FIELDS_MAX} fields`));
  const failure = await feed(request, parser);
  const settled = await Promise.allSettled(kept);
  const files = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const broken = settled.find((one) => one.status === 'rejected');
  const reason: unknown = budget.isExceeded ? tooLarge(limits) : (failure ?? broken?.reason);
  if (reason !== undefined)
    throw new UploadFailure(
      reason,
      files.map(({ file }) => file),
    );
  for (const { name, file } of files) body[name] = [...listOf(body[name]), file];
  return { body, files: files.map(({ file }) => file) };
}

export const isForm = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  /^multipart\//i.test(headers['content-type'] ?? '');

/** Reads a body that is one file, as if it had been the field `name` of a form. 400 when it is cut off, 413 over the limit. */
export async function readBare(
  request: Readable & { headers: IncomingHttpHeaders },
  { limits, keep, name }: { limits: UploadLimits; keep: KeepFile; name: string },
): Promise<Upload> {
  const budget = new Budget(limits.limitBytes);
  const type = request.headers['content-type'] ?? 'application/octet-stream';
  // Whoever stops reading early still has to answer on this connection.
  const pieces = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  const file = await keepFile(pieces, { type, keep, budget }).catch((error: unknown) => {
    request.resume();
    const isCutOff = request.destroyed && !request.readableEnded;
    throw new UploadFailure(isCutOff ? new DomainError('bad_request', 'The body was cut off') : error, []);
  });
  if (budget.isExceeded) throw new UploadFailure(tooLarge(limits), [file]);
  return { body: { [name]: [file] }, files: [file] };
}

/** What went wrong, and what had been kept until then. */
export class UploadFailure extends Error {
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

/** Pours the body into the parser; answers why it could not be read to its end. */
function feed(request: Readable, parser: busboy.Busboy): Promise<DomainError | undefined> {
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

interface Keeping {
  readonly type: string;
  readonly keep: KeepFile;
  readonly budget: Budget;
}

async function keepFile(
  stream: AsyncIterable<Buffer>,
  { type, keep, budget }: Keeping,
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

/** The bytes that an upload may still have. */
class Budget {
  readonly #limit: number;
  #taken = 0;
  constructor(limit: number) {
    this.#limit = limit;
  }
  get isExceeded(): boolean {
    return this.#taken > this.#limit;
  }
  /** Whether these bytes are still to be kept; what comes after is only swallowed, and not without end. */
  take(bytes: number): boolean {
    this.#taken += bytes;
    if (this.#taken > this.#limit * SWALLOWED_TIMES)
      throw new DomainError('too_large', 'The upload is endless');
    return !this.isExceeded;
  }
}

const tooLarge = ({ limitBytes }: UploadLimits) =>
  new DomainError('too_large', `The upload is larger than ${limitBytes} bytes`);

function add(body: Record<string, unknown>, name: string, value: string): void {
  const before = body[name];
  body[name] = before === undefined ? value : [...listOf(before), value];
}

const listOf = (value: unknown): unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];
