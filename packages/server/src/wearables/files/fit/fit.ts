import type { FileHandle } from 'node:fs/promises';
import type { Entry } from 'yauzl';
import type { HealthReading } from '../../../readings/readings.ts';
import { readHead, readWhole } from '../bytes.ts';
import { UnreadableFile, type FileContext, type FileReport } from '../report.ts';
import { assertPlausible, isZip, listEntries, openZip, readEntry } from '../zip.ts';
import { decodeFit } from './decoder.ts';

/** A day of recording at one record per second is about 4 MB. The SDK decodes a file in one go. */
const LIMIT_BYTES = 16 * 1024 * 1024;

/** Reads a FIT file, or the only file of a zip. Decoding takes about 125 ms per megabyte, in a worker thread. */
export async function* readFit(
  file: FileHandle,
  { report, timeZone }: FileContext,
): AsyncGenerator<HealthReading> {
  const bytes = await readContent(file, report);
  for await (const piece of decodeFit(bytes, timeZone)) {
    if (piece.kind === 'reading') yield piece.reading;
    else if (piece.kind === 'end') report.add(piece.report);
    else throw new UnreadableFile(piece.reason, piece.place);
  }
}

async function readContent(file: FileHandle, report: FileReport): Promise<Buffer> {
  if (!isZip(await readHead(file))) return readWhole(file, { report, limitBytes: LIMIT_BYTES });
  const zip = await openZip(file);
  const entries: Entry[] = [];
  for await (const entry of listEntries(zip)) if (isContent(entry)) entries.push(entry);
  const [only] = entries;
  if (!only || entries.length > 1)
    throw new UnreadableFile(`the archive has ${entries.length} files; expected a single FIT file`);
  assertPlausible(only, LIMIT_BYTES);
  const pieces: Buffer[] = [];
  for await (const piece of readEntry(zip, only)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Not a folder, and not what macOS adds to archives. */
const isContent = ({ fileName }: Entry): boolean =>
  !fileName.endsWith('/') && !fileName.startsWith('__MACOSX/');
