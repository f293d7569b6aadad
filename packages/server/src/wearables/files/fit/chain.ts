import type { FitSdk } from './sdk.ts';
import { UnreadableFile } from '../report.ts';

/** The data of one FIT file without its header and checksum. A file may contain several FIT files in sequence. */
export interface FitSegment {
  /** The byte at which it begins. */
  readonly byte: number;
  readonly data: Buffer;
}

const FIT_SIGNATURE = '.FIT';
const HEADER_SIZES = [12, 14];
const CRC_BYTES = 2;

export const isFit = (head: Buffer): boolean =>
  HEADER_SIZES.includes(head[0] ?? 0) && head.subarray(8, 12).toString('latin1') === FIT_SIGNATURE;

/** The segment at a byte, and where the next one would begin. Throws if it is truncated or its checksum is wrong. */
export function readSegment(sdk: FitSdk, file: Buffer, byte: number): { part: FitSegment; next: number } {
  const header = file.subarray(byte);
  if (!isFit(header)) throw new UnreadableFile('not a FIT header', formatPosition(byte));
  const headerBytes = header.readUInt8(0);
  const dataBytes = header.readUInt32LE(4);
  const end = byte + headerBytes + dataBytes;
  if (end + CRC_BYTES > file.length) {
    const missing = end + CRC_BYTES - file.length;
    throw new UnreadableFile(
      `the file is truncated: ${missing} bytes are missing`,
      formatPosition(file.length),
    );
  }
  const told = file.readUInt16LE(end);
  const counted = sdk.CrcCalculator.calculateCRC(file, byte, end);
  if (told !== counted)
    throw new UnreadableFile(
      `the checksum is ${toHex(counted)}, but the file states ${toHex(told)}`,
      formatPosition(end),
    );
  return { part: { byte, data: file.subarray(byte + headerBytes, end) }, next: end + CRC_BYTES };
}

export const formatPosition = (byte: number): string => `byte ${byte}`;
const toHex = (value: number): string => `0x${value.toString(16).padStart(4, '0')}`;
