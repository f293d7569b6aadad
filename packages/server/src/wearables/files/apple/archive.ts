import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { fromFdPromise, type Entry, type ZipFile } from 'yauzl';
import { UnreadableFile, type FileReport } from '../report.ts';
import { findRootName } from '../xml.ts';

/** The used entries of an Apple Health archive. Entries are streamed and never written to disk. */
export interface ExportArchive {
  readonly records: Entry;
  /** The uncompressed size of the records. */
  readonly recordBytes: number;
  /** The bytes of the records. `verifyRecords` checks their checksum. */
  openRecords(): AsyncIterable<Buffer>;
  /** The bytes of a route by its path in the records, as `/workout-routes/route_1.gpx`; undefined if missing. */
  openRoute(path: string): AsyncIterable<Buffer> | undefined;
}

const ENTRIES_MAX = 200_000;
const ROUTES_MAX = 50_000;
const RECORD_BYTES_MAX = 16 * 1024 ** 3;
const ROUTE_BYTES_MAX = 64 * 1024 ** 2;
/** Records compress 20 to 30 times. A much higher ratio is a zip bomb. */
const RATIO_MAX = 200;
const RATIO_CHECK_MIN_BYTES = 64 * 1024 ** 2;

/** Opens the archive. Throws if its directory is broken or it contains no records. */
export async function openArchive(file: FileHandle, report: FileReport): Promise<ExportArchive> {
  const zip = await fromFdPromise(file.fd, {}).catch((error: unknown) => {
    throw toUnreadableFile('the archive', error);
  });
  // Never closed: that would close the file, which the caller owns. Errors are reported by the reads.
  zip.on('error', () => {});
  const { documents, routes } = await readDirectory(zip, report);
  const records = await findRecords(zip, documents);
  assertPlausible(records, RECORD_BYTES_MAX);
  return {
    records,
    recordBytes: records.uncompressedSize,
    openRecords: () => readEntry(zip, records),
    openRoute: (path) => {
      const entry = routes.get(baseName(path));
      if (!entry) return undefined;
      assertPlausible(entry, ROUTE_BYTES_MAX);
      return readEntry(zip, entry);
    },
  };
}

interface ArchiveDirectory {
  /** Candidates for the records: their file name depends on the phone's language. */
  readonly documents: readonly Entry[];
  readonly routes: ReadonlyMap<string, Entry>;
}

async function readDirectory(zip: ZipFile, report: FileReport): Promise<ArchiveDirectory> {
  const documents: Entry[] = [];
  const routes = new Map<string, Entry>();
  let count = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      count += 1;
      if (count > ENTRIES_MAX) throw new UnreadableFile(`the archive has more than ${ENTRIES_MAX} entries`);
      const path = entry.fileName;
      if (/^([^/]+\/)?[^/]+\.xml$/i.test(path) && !/_cda\.xml$/i.test(path)) documents.push(entry);
      else if (/(^|\/)workout-routes\/[^/]+\.gpx$/i.test(path) && routes.size < ROUTES_MAX) {
        routes.set(baseName(path), entry);
      } else if (/(^|\/)electrocardiograms\/[^/]+\.csv$/i.test(path)) report.skip('electrocardiogram file');
    }
  } catch (error) {
    throw error instanceof UnreadableFile ? error : toUnreadableFile('the directory of the archive', error);
  }
  return { documents, routes };
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const DOCUMENTS_TRIED = 5;
const HEAD_BYTES = 64 * 1024;

async function findRecords(zip: ZipFile, documents: readonly Entry[]): Promise<Entry> {
  const largest = documents.toSorted((one, other) => other.uncompressedSize - one.uncompressedSize);
  for (const entry of largest.slice(0, DOCUMENTS_TRIED)) {
    if (findRootName(await readHead(zip, entry)) === 'HealthData') return entry;
  }
  throw new UnreadableFile('the archive is not an Apple Health export: no document in it has health data');
}

async function readHead(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of readEntry(zip, entry)) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= HEAD_BYTES) break;
  }
  return Buffer.concat(pieces);
}

function assertPlausible(entry: Entry, limitBytes: number): void {
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

async function* readEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
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

/** Decompresses the records once to verify their length and checksum before they are used. */
export async function verifyRecords(
  archive: ExportArchive,
  progress: (bytes: number) => void,
): Promise<void> {
  let sum = 0;
  let bytes = 0;
  for await (const piece of archive.openRecords()) {
    sum = crc32(piece, sum);
    bytes += piece.length;
    progress(piece.length);
  }
  const { crc32: told, fileName } = archive.records;
  if (bytes !== archive.recordBytes) throw new UnreadableFile('the entry is truncated', fileName);
  if (sum !== told) throw new UnreadableFile('the checksum of the entry does not match', fileName);
}
