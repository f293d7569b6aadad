import type { FileHandle } from 'node:fs/promises';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { type FileReport, UnreadableFile } from './report.ts';

const HEAD_BYTES = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;

const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** The first bytes of a file as they stand. */
export async function headOf(file: FileHandle): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** The first bytes of what is in a file: unpacked where it is packed with gzip. */
export function unpackedHead(head: Buffer): Buffer {
  if (!isGzip(head)) return head;
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 4 * 1024 * HEAD_BYTES };
    return gunzipSync(head, options).subarray(0, HEAD_BYTES);
  } catch {
    throw new UnreadableFile('the gzip stream is broken', 'byte 0');
  }
}

export interface Reading {
  readonly report: FileReport;
  /** The most bytes that are read, unpacked. */
  readonly limitBytes: number;
}

/** The bytes of a file piece by piece, unpacked where it is packed with gzip. Throws over the limit. */
export async function* bytesOf(file: FileHandle, { report, limitBytes }: Reading): AsyncGenerator<Buffer> {
  report.total = (await file.stat()).size;
  const pieces = isGzip(await rawHead(file)) ? gunzipped(file, report) : rawBytes(file, report);
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > limitBytes) {
      throw new UnreadableFile(`a file of this kind may have ${limitBytes} bytes`, `byte ${limitBytes}`);
    }
    yield piece;
  }
}

/** All of it, for formats that cannot be read piece by piece. */
export async function wholeOf(file: FileHandle, reading: Reading): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of bytesOf(file, reading)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function rawHead(file: FileHandle): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
  return buffer.subarray(0, bytesRead);
}

// Not by a stream of the handle, because that would close it.
async function* rawBytes(file: FileHandle, report: FileReport): AsyncGenerator<Buffer> {
  let position = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    report.done = position;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* gunzipped(file: FileHandle, report: FileReport): AsyncGenerator<Buffer> {
  const unpacked: Readable = pipeline(rawBytes(file, report), createGunzip(), new PassThrough(), () => {});
  try {
    for await (const piece of unpacked as AsyncIterable<Buffer>) yield piece;
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'broken';
    throw new UnreadableFile(`the gzip stream is broken: ${reason}`, `byte ${report.done}`);
  }
}
