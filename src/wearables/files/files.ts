import type { FileHandle } from 'node:fs/promises';
import type { Reading } from '../readings.ts';
import { readExport } from './apple/export.ts';
import { headOf, unpackedHead } from './bytes.ts';
import { isFit } from './fit/chain.ts';
import { readFit } from './fit/fit.ts';
import { readGpx } from './gpx.ts';
import { UnreadableFile, type FileReport } from './report.ts';
import { readTcx } from './tcx.ts';
import { rootOf } from './xml.ts';

export { FileReport, UnreadableFile, type FileFault } from './report.ts';

export const FILE_KINDS = ['fit', 'tcx', 'gpx', 'apple_health'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

type Read = (file: FileHandle, report: FileReport) => AsyncIterable<Reading>;

const READERS: Readonly<Record<FileKind, Read>> = {
  fit: readFit,
  tcx: readTcx,
  gpx: readGpx,
  apple_health: readExport,
};

const ROOTS: Readonly<Record<string, FileKind>> = {
  TrainingCenterDatabase: 'tcx',
  gpx: 'gpx',
  HealthData: 'apple_health',
};

/** Of so many bytes one knows what a file is. */
export const HEAD_BYTES = 64 * 1024;

/** What a file is, by its first bytes; its name does not count. Undefined where it is none of ours. */
export function kindOf(packed: Buffer): FileKind | undefined {
  const head = unpackedHead(packed);
  if (isFit(head)) return 'fit';
  if (head.subarray(0, 4).equals(ZIP)) return 'apple_health';
  return ROOTS[rootOf(head) ?? ''];
}

const ZIP = Buffer.from('PK\u0003\u0004', 'latin1');

/** What an open file is. Throws for one that is empty or nothing of ours. */
export async function kindOfFile(file: FileHandle): Promise<FileKind> {
  const head = await headOf(file);
  if (head.length === 0) throw new UnreadableFile('the file is empty');
  const kind = kindOf(head);
  if (!kind) throw new UnreadableFile('neither FIT nor TCX, GPX or an export of Apple Health', 'byte 0');
  return kind;
}

/**
 * The readings of an open file of a kind, in an order that can be stored as it comes: a workout before its stream.
 * What cannot be understood is in the report afterwards. Throws `UnreadableFile`: before the first reading where the
 * file as a whole is no good, and later where only the beginning of an Apple Health export could be read.
 */
export const readFile = (kind: FileKind, file: FileHandle, report: FileReport): AsyncIterable<Reading> =>
  READERS[kind](file, report);
