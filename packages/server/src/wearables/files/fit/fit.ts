import type { FileHandle } from 'node:fs/promises';
import type { HealthReading } from '../../../readings/readings.ts';
import { readWhole } from '../bytes.ts';
import { UnreadableFile, type FileReport } from '../report.ts';
import { decodeFit } from './decoder.ts';

/** A day of recording at one record per second is about 4 MB. The SDK decodes a file in one go. */
const LIMIT_BYTES = 16 * 1024 * 1024;

/** Reads a FIT file. Decoding takes about 125 ms per megabyte, in a worker thread. */
export async function* readFit(file: FileHandle, report: FileReport): AsyncGenerator<HealthReading> {
  const bytes = await readWhole(file, { report, limitBytes: LIMIT_BYTES });
  for await (const piece of decodeFit(bytes)) {
    if (piece.kind === 'reading') yield piece.reading;
    else if (piece.kind === 'end') report.add(piece.report);
    else throw new UnreadableFile(piece.reason, piece.place);
  }
}
