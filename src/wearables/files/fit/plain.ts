import { UnreadableFile } from '../report.ts';
import { place, type FitPart } from './chain.ts';

/** So many messages one file may have: a week at one a second. */
const MESSAGES_MAX = 700_000;

const TIMESTAMP_FIELD = 253;
const UINT32 = 0x86;
const COMPRESSED = 0x80;
const DEFINITION = 0x40;
const WITH_DEVELOPER_FIELDS = 0x20;
const LOCAL_MASK = 0x0f;

interface Definition {
  /** Its bytes as they stand in the file. */
  readonly bytes: Buffer;
  readonly fieldCount: number;
  readonly dataBytes: number;
  readonly isLittleEndian: boolean;
  /** Where in the data the timestamp stands; null where it does not. */
  readonly timestampAt: number | null;
}

/**
 * The records of a part as the SDK can read them: it knows no messages with compressed timestamps, which older devices
 * write, so each is given a timestamp of its own. Walks every record on the way: one that runs over the end, or that
 * was never defined, is told with its byte before anything is decoded.
 */
export function plainRecords({ data, byte }: FitPart): Buffer {
  const walk = new Walk(data, byte);
  while (!walk.isAtEnd) walk.step();
  return walk.plain();
}

class Walk {
  readonly #data: Buffer;
  /** Where in the file the data begin, roughly: a header is 12 or 14 bytes. */
  readonly #offset: number;
  readonly #definitions: (Definition | undefined)[] = [];
  /** Local messages that are for now defined with a timestamp of ours. */
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
    const timestamp = read32(data, definition.timestampAt, definition.isLittleEndian);
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
    if (!this.#stamped.has(local)) this.#out.push(withTimestamp(definition.bytes));
    this.#stamped.add(local);
    const stamp = Buffer.alloc(5);
    stamp.writeUInt8(local);
    if (definition.isLittleEndian) stamp.writeUInt32LE(this.#timestamp, 1);
    else stamp.writeUInt32BE(this.#timestamp, 1);
    this.#out.push(stamp, data);
  }

  #defined(local: number): Definition {
    this.#messages += 1;
    if (this.#messages > MESSAGES_MAX) throw this.#broken(`more than ${MESSAGES_MAX} messages`);
    const definition = this.#definitions[local];
    if (!definition) throw this.#broken(`a message of the kind ${local}, which is not defined`);
    return definition;
  }

  #take(bytes: number): Buffer {
    const end = this.#at + bytes;
    if (end > this.#data.length) throw this.#broken('a record runs over the end of the data');
    const taken = this.#data.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** Everything up to here, as it stands. */
  #copy(): void {
    this.#out.push(this.#data.subarray(this.#copiedTo, this.#at));
    this.#copiedTo = this.#at;
  }

  #broken(reason: string): UnreadableFile {
    return new UnreadableFile(reason, place(this.#offset + this.#at));
  }
}

const INVALID = 0xffffffff;

const read32 = (data: Buffer, at: number, isLittleEndian: boolean): number =>
  isLittleEndian ? data.readUInt32LE(at) : data.readUInt32BE(at);

/** The same definition with the timestamp as its first field. */
function withTimestamp(definition: Buffer): Buffer {
  const head = Buffer.from(definition.subarray(0, 6));
  head.writeUInt8(head.readUInt8(5) + 1, 5);
  return Buffer.concat([head, Buffer.of(TIMESTAMP_FIELD, 4, UINT32), definition.subarray(6)]);
}
