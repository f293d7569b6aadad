import type { FileHandle } from 'node:fs/promises';
import type { HealthReading } from '../../readings/readings.ts';
import { readExport } from './apple/export.ts';
import { readHead, unpackHead } from './bytes.ts';
import { isFit } from './fit/chain.ts';
import { readFit } from './fit/fit.ts';
import { readGpx } from './gpx.ts';
import { UnreadableFile, type FileContext } from './report.ts';
import { readTcx } from './tcx.ts';
import { findRootName } from './xml.ts';
import { isZip, peekFirstEntry } from './zip.ts';

export { FileReport, UnreadableFile } from './report.ts';

export const FILE_KINDS = ['fit', 'tcx', 'gpx', 'apple_health'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

type FileReader = (file: FileHandle, context: FileContext) => AsyncIterable<HealthReading>;

const READERS: Readonly<Record<FileKind, FileReader>> = {
  fit: readFit,
  tcx: readTcx,
  gpx: readGpx,
  apple_health: readExport,
};

const KINDS_BY_ROOT: Readonly<Record<string, FileKind>> = {
  TrainingCenterDatabase: 'tcx',
  gpx: 'gpx',
  HealthData: 'apple_health',
};

/** The number of first bytes that the detection needs. */
export const HEAD_BYTES = 64 * 1024;

/** Detects the kind of a file from its first bytes; its name is ignored. Undefined if the format is unsupported. */
export function detectKind(packed: Buffer): FileKind | undefined {
  const head = unpackHead(packed);
  if (isFit(head)) return 'fit';
  if (isZip(head)) return isFit(peekFirstEntry(head)) ? 'fit' : 'apple_health';
  return KINDS_BY_ROOT[findRootName(head) ?? ''];
}

/** Detects the kind of an open file. Throws for an empty file or an unsupported format. */
export async function detectFileKind(file: FileHandle): Promise<FileKind> {
  const head = await readHead(file);
  if (head.length === 0) throw new UnreadableFile('the file is empty');
  const kind = detectKind(head);
  if (!kind)
    throw new UnreadableFile(
      'unsupported format: expected FIT, TCX, GPX or an Apple Health export',
      'byte 0',
    );
  return kind;
}

/**
 * Streams the readings of an open file in an order in which they can be stored: a workout before its stream. Parts that
 * cannot be understood are listed in the report. Throws `UnreadableFile`: before the first reading if the whole file is
 * invalid, or later if only the beginning of an Apple Health export could be read.
 */
export const readFile = (
  kind: FileKind,
  file: FileHandle,
  context: FileContext,
): AsyncIterable<HealthReading> => READERS[kind](file, context);
