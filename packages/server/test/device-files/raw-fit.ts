/** Writes FIT files byte by byte, after the published protocol: what no encoder writes can be written, too. */

/** A field: its number, its base type and its value. `undefined` is the invalid value of the type. */
export type RawFitField = readonly [number: number, base: FitBase, value: number | string | undefined];

interface FitBaseType {
  readonly code: number;
  readonly size: number;
  readonly invalid: number;
}
// prettier-ignore
const BASES = {
  enum:    { code: 0x00, size: 1, invalid: 0xff },
  sint8:   { code: 0x01, size: 1, invalid: 0x7f },
  uint8:   { code: 0x02, size: 1, invalid: 0xff },
  sint16:  { code: 0x83, size: 2, invalid: 0x7fff },
  uint16:  { code: 0x84, size: 2, invalid: 0xffff },
  sint32:  { code: 0x85, size: 4, invalid: 0x7fffffff },
  uint32:  { code: 0x86, size: 4, invalid: 0xffffffff },
  string:  { code: 0x07, size: 8, invalid: 0 },
  uint32z: { code: 0x8c, size: 4, invalid: 0 },
  byte:    { code: 0x0d, size: 1, invalid: 0xff },
} as const satisfies Readonly<Record<string, FitBaseType>>;
type FitBase = keyof typeof BASES;

interface RawFitOptions {
  readonly isBigEndian?: boolean;
  /** The local message type, from 0 to 15. */
  readonly local?: number;
  /** The bytes of a developer field 0 of the developer 0. */
  readonly developer?: readonly number[];
}

function toBytes([, base, value]: RawFitField, isBigEndian: boolean): Buffer {
  const { size, invalid } = BASES[base];
  const bytes = Buffer.alloc(size);
  if (typeof value === 'string') {
    bytes.write(value, 0, size - 1, 'latin1');
    return bytes;
  }
  const number = BigInt.asUintN(size * 8, BigInt(value ?? invalid));
  for (let at = 0; at < size && base !== 'string'; at += 1) {
    const shift = BigInt(8 * (isBigEndian ? size - 1 - at : at));
    bytes[at] = Number((number >> shift) & 0xffn);
  }
  return bytes;
}

/** A definition. */
export function fitDefinition(
  message: number,
  fields: readonly RawFitField[],
  { isBigEndian = false, local = 0, developer }: RawFitOptions = {},
): Buffer {
  const head = Buffer.of(0x40 | (developer ? 0x20 : 0) | local, 0, isBigEndian ? 1 : 0, 0, 0, fields.length);
  if (isBigEndian) head.writeUInt16BE(message, 3);
  else head.writeUInt16LE(message, 3);
  const rows = fields.flatMap(([number, base]) => [number, BASES[base].size, BASES[base].code]);
  return Buffer.concat([
    head,
    Buffer.from(rows),
    developer ? Buffer.of(1, 0, developer.length, 0) : Buffer.alloc(0),
  ]);
}

/** A data message of a local type that is defined. */
export const fitData = (
  fields: readonly RawFitField[],
  { isBigEndian = false, local = 0, developer = [] }: RawFitOptions = {},
): Buffer =>
  Buffer.concat([
    Buffer.of(local),
    ...fields.map((field) => toBytes(field, isBigEndian)),
    Buffer.from(developer),
  ]);

/** A message with its definition. */
export const fitMessage = (
  message: number,
  fields: readonly RawFitField[],
  options: RawFitOptions = {},
): Buffer => Buffer.concat([fitDefinition(message, fields, options), fitData(fields, options)]);

/** A data message whose header has the last five bits of its timestamp. */
export const fitCompressed = (
  timestamp: number,
  fields: readonly RawFitField[],
  { local = 0 }: RawFitOptions = {},
): Buffer =>
  Buffer.concat([
    Buffer.of(0x80 | (local << 5) | (timestamp & 0x1f)),
    ...fields.map((field) => toBytes(field, false)),
  ]);

interface RawFitHeader {
  /** 12 is the header of the first version of the protocol, without a checksum. */
  readonly headerSize?: 12 | 14;
  readonly headerCrc?: 'right' | 'none' | 'wrong';
  /** What the header says of the size of the data; the default is the truth. */
  readonly dataSize?: number;
}

/** A file of these messages, with its header and checksum. */
export function rawFitFile(
  messages: readonly Buffer[],
  { headerSize = 14, headerCrc = 'right', dataSize }: RawFitHeader = {},
): Buffer {
  const data = Buffer.concat(messages);
  const header = Buffer.alloc(headerSize);
  header.set([headerSize, 0x20, 0x54, 0x08]);
  header.writeUInt32LE(dataSize ?? data.length, 4);
  header.write('.FIT', 8);
  if (headerSize === 14 && headerCrc !== 'none')
    header.writeUInt16LE(fitCrc(header.subarray(0, 12)) ^ (headerCrc === 'wrong' ? 1 : 0), 12);
  const whole = Buffer.concat([header, data]);
  const crc = Buffer.alloc(2);
  crc.writeUInt16LE(fitCrc(whole));
  return Buffer.concat([whole, crc]);
}

/** CRC-16/ARC, bit by bit. */
function fitCrc(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}
