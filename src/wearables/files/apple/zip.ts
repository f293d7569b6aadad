import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { fromFdPromise, type Entry, type ZipFile } from 'yauzl';
import { UnreadableFile, type FileReport } from '../report.ts';
import { rootOf } from '../xml.ts';

/** What of the archive of an Apple Health export is of use. Nothing of it is ever written to a disk. */
export interface ExportArchive {
  readonly records: Entry;
  /** How many bytes they are, unpacked. */
  readonly recordBytes: number;
  /** The bytes of the records; their checksum is looked at by `checkRecords`. */
  openRecords(): AsyncIterable<Buffer>;
  /** The bytes of a route, as `/workout-routes/route_1.gpx` in the records names it; undefined where there is none. */
  openRoute(path: string): AsyncIterable<Buffer> | undefined;
}

const ENTRIES_MAX = 200_000;
const ROUTES_MAX = 50_000;
const RECORD_BYTES_MAX = 16 * 1024 ** 3;
const ROUTE_BYTES_MAX = 64 * 1024 ** 2;
/** Records pack to a twentieth or thirtieth; what packs far better is made to be large. */
const RATIO_MAX = 200;
const RATIO_COUNTS_FROM_BYTES = 64 * 1024 ** 2;

/** Opens the archive. Throws where its directory is broken, or it holds no records. */
export async function openArchive(file: FileHandle, report: FileReport): Promise<ExportArchive> {
  const zip = await fromFdPromise(file.fd, {}).catch((error: unknown) => {
    throw broken('the archive', error);
  });
  // Never closed: that would close the file, which belongs to the caller. What goes wrong is told by whoever reads.
  zip.on('error', () => {});
  const { documents, routes } = await directoryOf(zip, report);
  const records = await recordsIn(zip, documents);
  requireBelievable(records, RECORD_BYTES_MAX);
  return {
    records,
    recordBytes: records.uncompressedSize,
    openRecords: () => bytesOfEntry(zip, records),
    openRoute: (path) => {
      const entry = routes.get(nameOf(path));
      if (!entry) return undefined;
      requireBelievable(entry, ROUTE_BYTES_MAX);
      return bytesOfEntry(zip, entry);
    },
  };
}

interface Directory {
  /** Documents that may be the records: their name depends on the language of the phone. */
  readonly documents: readonly Entry[];
  readonly routes: ReadonlyMap<string, Entry>;
}

async function directoryOf(zip: ZipFile, report: FileReport): Promise<Directory> {
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
        routes.set(nameOf(path), entry);
      } else if (/(^|\/)electrocardiograms\/[^/]+\.csv$/i.test(path)) report.skip('electrocardiogram file');
    }
  } catch (error) {
    throw error instanceof UnreadableFile ? error : broken('the directory of the archive', error);
  }
  return { documents, routes };
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const DOCUMENTS_TRIED = 5;
const HEAD_BYTES = 64 * 1024;

async function recordsIn(zip: ZipFile, documents: readonly Entry[]): Promise<Entry> {
  const largest = documents.toSorted((one, other) => other.uncompressedSize - one.uncompressedSize);
  for (const entry of largest.slice(0, DOCUMENTS_TRIED)) {
    if (rootOf(await beginningOf(zip, entry)) === 'HealthData') return entry;
  }
  throw new UnreadableFile('an archive, but not one of Apple Health: no document in it has health data');
}

async function beginningOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of bytesOfEntry(zip, entry)) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= HEAD_BYTES) break;
  }
  return Buffer.concat(pieces);
}

function requireBelievable(entry: Entry, limitBytes: number): void {
  const { uncompressedSize, compressedSize, fileName } = entry;
  if (entry.isEncrypted()) throw new UnreadableFile('it is encrypted', fileName);
  if (uncompressedSize > limitBytes)
    throw new UnreadableFile(`more than ${limitBytes} bytes unpacked`, fileName);
  if (uncompressedSize > RATIO_COUNTS_FROM_BYTES && uncompressedSize > RATIO_MAX * compressedSize) {
    throw new UnreadableFile(`packed to less than one in ${RATIO_MAX}: not what a phone exports`, fileName);
  }
}

async function* bytesOfEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  let stream: Readable | undefined;
  try {
    stream = await zip.openReadStreamPromise(entry);
    for await (const piece of stream as AsyncIterable<Buffer>) yield piece;
  } catch (error) {
    throw broken(entry.fileName, error);
  } finally {
    stream?.destroy();
  }
}

const broken = (place: string, error: unknown): UnreadableFile =>
  new UnreadableFile(error instanceof Error ? error.message : 'broken', place);

/** Unpacks the records once and looks at their length and checksum, before anything of them is used. */
export async function checkRecords(archive: ExportArchive, progress: (bytes: number) => void): Promise<void> {
  let sum = 0;
  let bytes = 0;
  for await (const piece of archive.openRecords()) {
    sum = crc32(piece, sum);
    bytes += piece.length;
    progress(piece.length);
  }
  const { crc32: told, fileName } = archive.records;
  if (bytes !== archive.recordBytes) throw new UnreadableFile('it is cut off', fileName);
  if (sum !== told)
    throw new UnreadableFile('the checksum of the archive is not that of its bytes', fileName);
}
