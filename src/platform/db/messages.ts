import pg from 'pg';

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;

/** A prepared statement and the values for its places. */
export interface Run {
  readonly name: string;
  readonly values: readonly unknown[];
}

const BIND = 66;
const EXECUTE = Buffer.from([69, 0, 0, 0, 9, 0, 0, 0, 0, 0]);
const SYNC = Buffer.from([83, 0, 0, 0, 4]);
/** No statement has this name, so that the server refuses what is sent with it. */
const NOTHING: Run = { name: 'aliquot_nothing', values: [] };

const PAGE_BYTES = 16_384;
/** Beyond it memory is given back. */
const PAGE_BYTES_KEPT = 1024 * 1024;

/** What is being written, from the beginning; it grows, and what was written is copied out. */
let page = Buffer.allocUnsafe(PAGE_BYTES);
let end = 0;

/**
 * The messages that run prepared statements one after the other, as one buffer: the driver would make three of each,
 * and hand them to the socket one by one. With a Sync they are answered; without one the caller adds it.
 */
export function runMessages(runs: readonly Run[], { isLast }: { isLast: boolean }): Buffer {
  if (page.length > PAGE_BYTES_KEPT) page = Buffer.allocUnsafe(PAGE_BYTES);
  end = 0;
  for (const run of runs) writeRun(run);
  if (isLast) writeBytes(SYNC);
  return Buffer.from(page.subarray(0, end));
}

/** Instead of statements of which one has a value that cannot be written: behind `before` the server refuses. */
export const refusedMessages = (before: readonly Run[]): Buffer =>
  runMessages([...before, NOTHING], { isLast: true });

function writeRun({ name, values }: Run): void {
  const start = end;
  makeRoom(5);
  page[end] = BIND;
  end += 5;
  // The portal without a name.
  writeByte(0);
  writeText(name);
  writeByte(0);
  writeValues(values);
  // All columns of the answer as text.
  writeShort(1);
  writeShort(0);
  page.writeInt32BE(end - start - 1, start + 1);
  writeBytes(EXECUTE);
}

function writeValues(values: readonly unknown[]): void {
  writeShort(values.length);
  const formats = end;
  makeRoom(2 * values.length);
  end += 2 * values.length;
  writeShort(values.length);
  let place = formats;
  for (const value of values) {
    const isBinary = writeValue(value);
    page[place] = 0;
    page[place + 1] = isBinary ? 1 : 0;
    place += 2;
  }
}

/** Its length and itself; answers whether it is binary. */
function writeValue(value: unknown): boolean {
  const given = typeof value === 'string' ? value : printed(value);
  if (given === null) {
    writeInteger(-1);
    return false;
  }
  const length = end;
  writeInteger(0);
  const isBinary = typeof given !== 'string';
  if (isBinary) writeBytes(given);
  else writeText(given);
  page.writeInt32BE(end - length - 4, length);
  return isBinary;
}

function printed(value: unknown): string | Uint8Array | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return printedMoment(value);
  const prepared = prepareValue(value);
  return typeof prepared === 'string' || prepared === null || prepared instanceof Uint8Array
    ? prepared
    : String(prepared);
}

/** As the driver prints it, which in UTC is what the date says itself. */
function printedMoment(moment: Date): string {
  const year = moment.getUTCFullYear();
  const isPlain = year >= 1 && year <= 9999 && moment.getTimezoneOffset() === 0;
  return isPlain ? `${moment.toISOString().slice(0, -1)}+00:00` : String(prepareValue(moment));
}

const BYTES_A_CHARACTER = 3;
/** So long a text is written faster character by character than by a call into the runtime. */
const SHORT_TEXT = 40;

function writeText(text: string): void {
  makeRoom(text.length * BYTES_A_CHARACTER);
  const start = end;
  if (text.length <= SHORT_TEXT) {
    let at = 0;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code > 127) break;
      page[end + at] = code;
    }
    if (at === text.length) {
      end += at;
      return;
    }
  }
  end = start + page.write(text, start);
}

function writeBytes(bytes: Uint8Array): void {
  makeRoom(bytes.length);
  page.set(bytes, end);
  end += bytes.length;
}

function writeByte(byte: number): void {
  makeRoom(1);
  page[end] = byte;
  end += 1;
}

function writeShort(short: number): void {
  makeRoom(2);
  page[end] = short >> 8;
  page[end + 1] = short & 255;
  end += 2;
}

function writeInteger(integer: number): void {
  makeRoom(4);
  page.writeInt32BE(integer, end);
  end += 4;
}

function makeRoom(bytes: number): void {
  if (end + bytes <= page.length) return;
  const wider = Buffer.allocUnsafe(Math.max(2 * page.length, end + bytes));
  page.copy(wider, 0, 0, end);
  page = wider;
}
