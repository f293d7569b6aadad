import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { constants, inflateRawSync } from 'node:zlib';
import { fromFdPromise, type Entry, type ZipFile } from 'yauzl';
import { UnreadableFile } from './report.ts';

/** Reading of zip archives without writing their entries to disk. */

const ENTRIES_MAX = 200_000;
/** Health records compress 20 to 30 times. A much higher ratio is a zip bomb. */
const RATIO_MAX = 200;
const RATIO_CHECK_MIN_BYTES = 64 * 1024 ** 2;

/** Opens an archive. It is never closed: that would close the file, which the caller owns. */
export async function openZip(file: FileHandle): Promise<ZipFile> {
  const zip = await fromFdPromise(file.fd, {}).catch((error: unknown) => {
    throw toUnreadableFile('the archive', error);
  });
  // Errors are reported by the reads.
  zip.on('error', () => {});
  return zip;
}

/** The entries in the order of the archive's directory. */
export async function* listEntries(zip: ZipFile): AsyncGenerator<Entry> {
  let count = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      count += 1;
      if (count > ENTRIES_MAX) throw new UnreadableFile(`the archive has more than ${ENTRIES_MAX} entries`);
      yield entry;
    }
  } catch (error) {
    throw error instanceof UnreadableFile ? error : toUnreadableFile('the directory of the archive', error);
  }
}

export function assertPlausible(entry: Entry, limitBytes: number): void {
  const { uncompressedSize, compressedSize, fileName } = entry;
  if (entry.isEncrypted()) throw new UnreadableFile('the entry is encrypted', fileName);
  if (uncompressedSize > limitBytes)
    throw new UnreadableFile(`larger than ${limitBytes} bytes uncompressed`, fileName);
  if (uncompressedSize > RATIO_CHECK_MIN_BYTES && uncompressedSize > RATIO_MAX * compressedSize) {
    throw new UnreadableFile(
      `compressed more than ${RATIO_MAX} times, which is implausible for an export`,
      fileName,
    );
  }
}

export async function* readEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  let stream: Readable | undefined;
  try {
    stream = await zip.openReadStreamPromise(entry);
    for await (const piece of stream as AsyncIterable<Buffer>) yield piece;
  } catch (error) {
    throw toUnreadableFile(entry.fileName, error);
  } finally {
    stream?.destroy();
  }
}

const toUnreadableFile = (place: string, error: unknown): UnreadableFile =>
  new UnreadableFile(error instanceof Error ? error.message : 'broken', place);

const SIGNATURE = Buffer.from('PK\u0003\u0004', 'latin1');
const HEADER_BYTES = 30;
const DEFLATED = 8;
const PEEKED_BYTES = 4096;
/** Deflate compresses at most 1032 times. */
const PEEKED_BYTES_MAX = 1032 * PEEKED_BYTES;

export const isZip = (head: Buffer): boolean => head.subarray(0, 4).equals(SIGNATURE);

/** The first bytes of the first file of an archive, from the archive's own first bytes; empty if unreadable. */
export function peekFirstEntry(head: Buffer): Buffer {
  const header = head.subarray(0, HEADER_BYTES);
  if (!isZip(header) || header.length < HEADER_BYTES) return Buffer.alloc(0);
  const nameEnd = HEADER_BYTES + header.readUInt16LE(26);
  const start = nameEnd + header.readUInt16LE(28);
  const isFolder = head.subarray(HEADER_BYTES, nameEnd).toString('latin1').endsWith('/');
  if (isFolder) return peekFirstEntry(head.subarray(start));
  const bytes = head.subarray(start, start + PEEKED_BYTES);
  if (header.readUInt16LE(8) !== DEFLATED) return bytes;
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: PEEKED_BYTES_MAX };
    return inflateRawSync(bytes, options);
  } catch {
    return Buffer.alloc(0);
  }
}
