import type { FileHandle } from 'node:fs/promises';
import type { Reading } from '../../readings.ts';
import { wholeOf } from '../bytes.ts';
import { UnreadableFile, type FileReport } from '../report.ts';
import { decoded } from './decoder.ts';

/** A day of recording at one record a second has some 4 MB. The SDK decodes a file in one go. */
const LIMIT_BYTES = 16 * 1024 * 1024;

/** The readings of a FIT file. Decoding takes an eighth of a second for each megabyte, and holds up nobody. */
export async function* readFit(file: FileHandle, report: FileReport): AsyncGenerator<Reading> {
  const bytes = await wholeOf(file, { report, limitBytes: LIMIT_BYTES });
  for await (const piece of decoded(bytes)) {
    if (piece.kind === 'reading') yield piece.reading;
    else if (piece.kind === 'end') report.add(piece.report);
    else throw new UnreadableFile(piece.reason, piece.place);
  }
}
