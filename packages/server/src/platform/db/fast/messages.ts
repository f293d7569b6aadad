import pg from 'pg';

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;

/** A prepared statement and its parameter values. */
export interface PreparedExecution {
  readonly name: string;
  readonly values: readonly unknown[];
}

const BIND = 66;
const EXECUTE = Buffer.from([69, 0, 0, 0, 9, 0, 0, 0, 0, 0]);
const SYNC = Buffer.from([83, 0, 0, 0, 4]);
/** No statement has this name, so the server refuses what is sent with it. */
const MISSING_STATEMENT: PreparedExecution = { name: 'aliquot_nothing', values: [] };

const OUTPUT_BYTES = 16_384;
/** A larger buffer is released before the next use. */
const OUTPUT_BYTES_KEPT = 1024 * 1024;

/** The write buffer, used from its start. It grows, and the result is copied out. */
let output = Buffer.allocUnsafe(OUTPUT_BYTES);
let end = 0;

/**
 * Encodes the Bind and Execute messages of prepared statements as one buffer: the driver would make three messages of
 * each and hand them to the socket one by one. With `isLast` a Sync follows; otherwise the caller sends it.
 */
export function encodeExecutions(
  runs: readonly PreparedExecution[],
  { isLast }: { isLast: boolean },
): Buffer {
  if (output.length > OUTPUT_BYTES_KEPT) output = Buffer.allocUnsafe(OUTPUT_BYTES);
  end = 0;
  for (const run of runs) writeExecution(run);
  if (isLast) writeBytes(SYNC);
  return Buffer.from(output.subarray(0, end));
}

/** Replaces statements of which one has a value that cannot be encoded: the server refuses after `before`. */
export const encodeRefusal = (before: readonly PreparedExecution[]): Buffer =>
  encodeExecutions([...before, MISSING_STATEMENT], { isLast: true });

function writeExecution({ name, values }: PreparedExecution): void {
  const start = end;
  ensureCapacity(5);
  output[end] = BIND;
  end += 5;
  // The unnamed portal.
  writeByte(0);
  writeText(name);
  writeByte(0);
  writeValues(values);
  // All result columns as text.
  writeShort(1);
  writeShort(0);
  output.writeInt32BE(end - start - 1, start + 1);
  writeBytes(EXECUTE);
}

function writeValues(values: readonly unknown[]): void {
  writeShort(values.length);
  const formats = end;
  ensureCapacity(2 * values.length);
  end += 2 * values.length;
  writeShort(values.length);
  let place = formats;
  for (const value of values) {
    const isBinary = writeValue(value);
    output[place] = 0;
    output[place + 1] = isBinary ? 1 : 0;
    place += 2;
  }
}

/** Writes the length and the value; returns whether it is binary. */
function writeValue(value: unknown): boolean {
  const given = typeof value === 'string' ? value : toWireValue(value);
  if (given === null) {
    writeInteger(-1);
    return false;
  }
  const length = end;
  writeInteger(0);
  const isBinary = typeof given !== 'string';
  if (isBinary) writeBytes(given);
  else writeText(given);
  output.writeInt32BE(end - length - 4, length);
  return isBinary;
}

function toWireValue(value: unknown): string | Uint8Array | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return formatTimestamp(value);
  const prepared = prepareValue(value);
  return typeof prepared === 'string' || prepared === null || prepared instanceof Uint8Array
    ? prepared
    : String(prepared);
}

/** As the driver formats it, which in UTC equals the ISO form. */
function formatTimestamp(moment: Date): string {
  const year = moment.getUTCFullYear();
  const isPlain = year >= 1 && year <= 9999 && moment.getTimezoneOffset() === 0;
  return isPlain ? `${moment.toISOString().slice(0, -1)}+00:00` : String(prepareValue(moment));
}

const BYTES_A_CHARACTER = 3;
/** Up to this length a text is written faster character by character than by a call into the runtime. */
const SHORT_TEXT = 40;

function writeText(text: string): void {
  ensureCapacity(text.length * BYTES_A_CHARACTER);
  const start = end;
  if (text.length <= SHORT_TEXT) {
    let at = 0;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code > 127) break;
      output[end + at] = code;
    }
    if (at === text.length) {
      end += at;
      return;
    }
  }
  end = start + output.write(text, start);
}

function writeBytes(bytes: Uint8Array): void {
  ensureCapacity(bytes.length);
  output.set(bytes, end);
  end += bytes.length;
}

function writeByte(byte: number): void {
  ensureCapacity(1);
  output[end] = byte;
  end += 1;
}

function writeShort(short: number): void {
  ensureCapacity(2);
  output[end] = short >> 8;
  output[end + 1] = short & 255;
  end += 2;
}

function writeInteger(integer: number): void {
  ensureCapacity(4);
  output.writeInt32BE(integer, end);
  end += 4;
}

function ensureCapacity(bytes: number): void {
  if (end + bytes <= output.length) return;
  const wider = Buffer.allocUnsafe(Math.max(2 * output.length, end + bytes));
  output.copy(wider, 0, 0, end);
  output = wider;
}
