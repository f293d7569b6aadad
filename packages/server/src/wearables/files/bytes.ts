import type { FileHandle } from 'node:fs/promises';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { type FileReport, UnreadableFile } from './report.ts';

const HEAD_BYTES = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;

const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** The first bytes of a file, not decompressed. */
export async function readHead(file: FileHandle): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** The first bytes of a file's content: decompressed if the file is gzipped. */
export function unpackHead(head: Buffer): Buffer {
  if (!isGzip(head)) return head;
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 4 * 1024 * HEAD_BYTES };
    return gunzipSync(head, options).subarray(0, HEAD_BYTES);
  } catch {
    throw new UnreadableFile('the gzip stream is broken', 'byte 0');
  }
}

interface ByteLimit {
  readonly report: FileReport;
  /** The maximum number of decompressed bytes. */
  readonly limitBytes: number;
}

/** Streams the content of a file, decompressed if it is gzipped. Throws above the limit. */
export async function* readBytes(
  file: FileHandle,
  { report, limitBytes }: ByteLimit,
): AsyncGenerator<Buffer> {
  report.total = (await file.stat()).size;
  const pieces = isGzip(await readMagic(file)) ? readGunzipped(file, report) : readRaw(file, report);
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > limitBytes) {
      throw new UnreadableFile(
        `the file is larger than the limit of ${limitBytes} bytes`,
        `byte ${limitBytes}`,
      );
    }
    yield piece;
  }
}

/** The whole content, for formats that cannot be streamed. */
export async function readWhole(file: FileHandle, reading: ByteLimit): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of readBytes(file, reading)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function readMagic(file: FileHandle): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
  return buffer.subarray(0, bytesRead);
}

// A stream of the handle would close it.
async function* readRaw(file: FileHandle, report: FileReport): AsyncGenerator<Buffer> {
  let position = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    report.done = position;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* readGunzipped(file: FileHandle, report: FileReport): AsyncGenerator<Buffer> {
  const unpacked: Readable = pipeline(readRaw(file, report), createGunzip(), new PassThrough(), () => {});
  try {
    for await (const piece of unpacked as AsyncIterable<Buffer>) yield piece;
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'broken';
    throw new UnreadableFile(`the gzip stream is broken: ${reason}`, `byte ${report.done}`);
  }
}
