import { UnreadableFile } from '../report.ts';
import { formatPosition, type FitSegment } from './chain.ts';

/** The maximum number of messages of a file: a week at one per second. */
const MESSAGES_MAX = 700_000;

const TIMESTAMP_FIELD = 253;
const UINT32 = 0x86;
const COMPRESSED = 0x80;
const DEFINITION = 0x40;
const WITH_DEVELOPER_FIELDS = 0x20;
const LOCAL_MASK = 0x0f;

interface FitDefinition {
  /** The bytes of the definition in the file. */
  readonly bytes: Buffer;
  readonly fieldCount: number;
  readonly dataBytes: number;
  readonly isLittleEndian: boolean;
  /** The position of the timestamp in the data; null if it has none. */
  readonly timestampAt: number | null;
}

/**
 * Rewrites the records of a segment for the SDK, which does not support the compressed timestamps of older devices:
 * each such message gets an explicit timestamp. Visits every record, so that a record that is truncated or undefined is
 * reported with its byte before anything is decoded.
 */
export function expandTimestamps({ data, byte }: FitSegment): Buffer {
  const walk = new TimestampExpander(data, byte);
  while (!walk.isAtEnd) walk.step();
  return walk.plain();
}

class TimestampExpander {
  readonly #data: Buffer;
  /** The approximate start of the data in the file: a header is 12 or 14 bytes. */
  readonly #offset: number;
  readonly #definitions: (FitDefinition | undefined)[] = [];
  /** Local message types whose current definition has an added timestamp. */
  readonly #stamped = new Set<number>();
  readonly #out: Buffer[] = [];
  #at = 0;
  #copiedTo = 0;
  #timestamp: number | null = null;
  #messages = 0;

  constructor(data: Buffer, byte: number) {
    this.#data = data;
    this.#offset = byte + 14;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#data.length;
  }

  plain(): Buffer {
    if (this.#out.length === 0) return this.#data;
    this.#copy();
    return Buffer.concat(this.#out);
  }

  step(): void {
    const header = this.#data.readUInt8(this.#at);
    if (header & COMPRESSED) this.#compressed(header);
    else if (header & DEFINITION) this.#define(header);
    else this.#message(header & LOCAL_MASK);
  }

  #define(header: number): void {
    const start = this.#at;
    const fixed = this.#take(6);
    const isLittleEndian = fixed.readUInt8(2) === 0;
    const fieldCount = fixed.readUInt8(5);
    const fields = this.#take(3 * fieldCount);
    let dataBytes = 0;
    let timestampAt: number | null = null;
    for (let index = 0; index < fields.length; index += 3) {
      const size = fields.readUInt8(index + 1);
      if (fields.readUInt8(index) === TIMESTAMP_FIELD && size === 4) timestampAt = dataBytes;
      dataBytes += size;
    }
    if (header & WITH_DEVELOPER_FIELDS) {
      const own = this.#take(3 * this.#take(1).readUInt8(0));
      for (let index = 0; index < own.length; index += 3) dataBytes += own.readUInt8(index + 1);
    }
    const bytes = this.#data.subarray(start, this.#at);
    const local = header & LOCAL_MASK;
    this.#definitions[local] = { bytes, fieldCount, dataBytes, isLittleEndian, timestampAt };
    this.#stamped.delete(local);
  }

  #message(local: number): void {
    const definition = this.#defined(local);
    if (this.#stamped.delete(local)) {
      this.#copy();
      this.#out.push(definition.bytes);
    }
    this.#take(1);
    const data = this.#take(definition.dataBytes);
    if (definition.timestampAt === null) return;
    const timestamp = readUint32(data, definition.timestampAt, definition.isLittleEndian);
    if (timestamp !== INVALID) this.#timestamp = timestamp;
  }

  #compressed(header: number): void {
    const local = (header >> 5) & 0x03;
    const definition = this.#defined(local);
    this.#copy();
    this.#take(1);
    const data = this.#take(definition.dataBytes);
    this.#copiedTo = this.#at;
    if (this.#timestamp === null) return;
    this.#timestamp = (this.#timestamp + (((header & 0x1f) - this.#timestamp) & 0x1f)) >>> 0;
    if (!this.#stamped.has(local)) this.#out.push(addTimestampField(definition.bytes));
    this.#stamped.add(local);
    const stamp = Buffer.alloc(5);
    stamp.writeUInt8(local);
    if (definition.isLittleEndian) stamp.writeUInt32LE(this.#timestamp, 1);
    else stamp.writeUInt32BE(this.#timestamp, 1);
    this.#out.push(stamp, data);
  }

  #defined(local: number): FitDefinition {
    this.#messages += 1;
    if (this.#messages > MESSAGES_MAX) throw this.#broken(`more than ${MESSAGES_MAX} messages`);
    const definition = this.#definitions[local];
    if (!definition) throw this.#broken(`a message of the undefined local type ${local}`);
    return definition;
  }

  #take(bytes: number): Buffer {
    const end = this.#at + bytes;
    if (end > this.#data.length) throw this.#broken('a record extends beyond the end of the data');
    const taken = this.#data.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** Copies everything up to here unchanged. */
  #copy(): void {
    this.#out.push(this.#data.subarray(this.#copiedTo, this.#at));
    this.#copiedTo = this.#at;
  }

  #broken(reason: string): UnreadableFile {
    return new UnreadableFile(reason, formatPosition(this.#offset + this.#at));
  }
}

const INVALID = 0xffffffff;

const readUint32 = (data: Buffer, at: number, isLittleEndian: boolean): number =>
  isLittleEndian ? data.readUInt32LE(at) : data.readUInt32BE(at);

/** The definition with a timestamp as its first field. */
function addTimestampField(definition: Buffer): Buffer {
  const head = Buffer.from(definition.subarray(0, 6));
  head.writeUInt8(head.readUInt8(5) + 1, 5);
  return Buffer.concat([head, Buffer.of(TIMESTAMP_FIELD, 4, UINT32), definition.subarray(6)]);
}
