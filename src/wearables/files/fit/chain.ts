import type { FitSdk } from './sdk.ts';
import { UnreadableFile } from '../report.ts';

/** The data of one FIT file, without its header and checksum. Several may stand one after the other in one file. */
export interface FitPart {
  /** Where it begins. */
  readonly byte: number;
  readonly data: Buffer;
}

const SIGNATURE = '.FIT';
const HEADERS = [12, 14];
const CRC_BYTES = 2;

export const isFit = (head: Buffer): boolean =>
  HEADERS.includes(head[0] ?? 0) && head.subarray(8, 12).toString('latin1') === SIGNATURE;

/** The part that begins at a byte, and where the next one would. Throws where it is cut off or its checksum is wrong. */
export function partAt(sdk: FitSdk, file: Buffer, byte: number): { part: FitPart; next: number } {
  const header = file.subarray(byte);
  if (!isFit(header)) throw new UnreadableFile('not the header of a FIT file', place(byte));
  const headerBytes = header.readUInt8(0);
  const dataBytes = header.readUInt32LE(4);
  const end = byte + headerBytes + dataBytes;
  if (end + CRC_BYTES > file.length) {
    const missing = end + CRC_BYTES - file.length;
    throw new UnreadableFile(`the file is cut off, ${missing} bytes are missing`, place(file.length));
  }
  const told = file.readUInt16LE(end);
  const counted = sdk.CrcCalculator.calculateCRC(file, byte, end);
  if (told !== counted)
    throw new UnreadableFile(`the checksum is ${hex(counted)} and not ${hex(told)}`, place(end));
  return { part: { byte, data: file.subarray(byte + headerBytes, end) }, next: end + CRC_BYTES };
}

export const place = (byte: number): string => `byte ${byte}`;
const hex = (value: number): string => `0x${value.toString(16).padStart(4, '0')}`;
