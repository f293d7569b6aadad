import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { StreamColumns } from '../readings.ts';

type Column = readonly (number | null)[];

/**
 * How finely each column is kept: as many steps to one unit. Seven digits of a degree are a centimeter.
 * Their order is their number in a packed stream: a new one goes to the end.
 */
// prettier-ignore
const STEPS = {
  time: 1, cadence: 1000, altitude: 1000, velocity_smooth: 10_000, heartrate: 1, lat: 1e7, lng: 1e7,
  distance: 1000, power: 1000, resistance: 1000, temperature: 1000,
} as const satisfies Readonly<Record<keyof StreamColumns, number>>;

export const STREAM_COLUMNS = Object.keys(STEPS).filter((name): name is keyof StreamColumns => name in STEPS);

const FORM = 1;
const LEVEL = 6;
/** A point more than this is worth no zero: the difference to the one before, or that there is none. */
const NOTHING = 0;

/**
 * A stream as bytes: one of form, then deflated: number of points, and for each column its number and its points as
 * differences in variable length. A second of a run is some 6 bytes of it.
 */
export function packStream(columns: StreamColumns): Buffer {
  const out = new Bytes();
  out.put(columns.time.length);
  STREAM_COLUMNS.forEach((name, number) => {
    const column: Column | undefined = columns[name];
    if (column === undefined) return;
    out.put(number);
    packColumn(out, column, STEPS[name]);
  });
  return Buffer.concat([Buffer.of(FORM), deflateRawSync(out.bytes(), { level: LEVEL })]);
}

function packColumn(out: Bytes, column: Column, steps: number): void {
  let before = 0;
  for (const value of column) {
    if (value === null) out.put(NOTHING);
    else {
      const step = Math.round(value * steps);
      out.put(zigzag(step - before) + 1);
      before = step;
    }
  }
}

export function unpackStream(packed: Buffer): StreamColumns {
  if (packed[0] !== FORM) throw new Error('Not a packed stream');
  const bytes = new Reader(inflateRawSync(packed.subarray(1)));
  const points = bytes.take();
  const columns: Partial<Record<keyof StreamColumns, (number | null)[]>> = {};
  while (!bytes.isAtEnd) {
    const name = STREAM_COLUMNS[bytes.take()];
    if (name === undefined) throw new Error('A packed stream has a column that is not known');
    columns[name] = unpackColumn(bytes, points, STEPS[name]);
  }
  const { time = [], ...others } = columns;
  return { ...others, time: time.filter((moment) => moment !== null) };
}

function unpackColumn(bytes: Reader, points: number, steps: number): (number | null)[] {
  let before = 0;
  return Array.from({ length: points }, () => {
    const read = bytes.take();
    if (read === NOTHING) return null;
    before += unzigzag(read - 1);
    return before / steps;
  });
}

/** Small numbers of either sign become small numbers. */
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
const unzigzag = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

/** Whole numbers below 2^53, seven bits a byte, the low ones first. */
class Bytes {
  #buffer = Buffer.alloc(4096);
  #length = 0;

  put(value: number): void {
    if (this.#length + 8 > this.#buffer.length)
      this.#buffer = Buffer.concat([this.#buffer, Buffer.alloc(this.#buffer.length)]);
    let rest = value;
    while (rest >= 128) {
      this.#buffer[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[this.#length++] = rest;
  }
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }
  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }
  take(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error('A packed stream ends too early');
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  }
}
