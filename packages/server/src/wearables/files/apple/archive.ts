import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { UnreadableFile, type FileReport } from '../report.ts';
import { findRootName } from '../xml.ts';
import { assertPlausible, listEntries, openZip, readEntry } from '../zip.ts';

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

const ROUTES_MAX = 50_000;
const RECORD_BYTES_MAX = 16 * 1024 ** 3;
const ROUTE_BYTES_MAX = 64 * 1024 ** 2;

/** Opens the archive. Throws if its directory is broken or it contains no records. */
export async function openArchive(file: FileHandle, report: FileReport): Promise<ExportArchive> {
  const zip = await openZip(file);
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
  for await (const entry of listEntries(zip)) {
    const path = entry.fileName;
    if (/^([^/]+\/)?[^/]+\.xml$/i.test(path) && !/_cda\.xml$/i.test(path)) documents.push(entry);
    else if (/(^|\/)workout-routes\/[^/]+\.gpx$/i.test(path) && routes.size < ROUTES_MAX) {
      routes.set(baseName(path), entry);
    } else if (/(^|\/)electrocardiograms\/[^/]+\.csv$/i.test(path)) report.skip('electrocardiogram file');
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
