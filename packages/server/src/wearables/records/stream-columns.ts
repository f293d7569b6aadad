import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { StreamColumns } from '../../readings/readings.ts';

type StreamColumn = readonly (number | null)[];

/**
 * The resolution of each column in steps per unit. 1e-7 degrees are about a centimeter.
 * The order of the columns is part of the format: append new ones.
 */
// prettier-ignore
const STEPS_PER_UNIT = {
  time: 1, cadence: 1000, altitude: 1000, velocity_smooth: 10_000, heartrate: 1, lat: 1e7, lng: 1e7,
  distance: 1000, power: 1000, resistance: 1000, temperature: 1000,
} as const satisfies Readonly<Record<keyof StreamColumns, number>>;

export const STREAM_COLUMNS = Object.keys(STEPS_PER_UNIT).filter(
  (name): name is keyof StreamColumns => name in STEPS_PER_UNIT,
);

const FORMAT_VERSION = 1;
const LEVEL = 6;
/** Marks a null. Deltas are stored plus one. */
const NULL_MARKER = 0;

/**
 * Packs a stream: a version byte, then, deflated, the number of points and for each column its index and its points as
 * zigzag varint deltas. A second of a run takes about 6 bytes.
 */
export function packStream(columns: StreamColumns): Buffer {
  const out = new VarintWriter();
  out.put(columns.time.length);
  STREAM_COLUMNS.forEach((name, number) => {
    const column: StreamColumn | undefined = columns[name];
    if (column === undefined) return;
    out.put(number);
    packColumn(out, column, STEPS_PER_UNIT[name]);
  });
  return Buffer.concat([Buffer.of(FORMAT_VERSION), deflateRawSync(out.bytes(), { level: LEVEL })]);
}

function packColumn(out: VarintWriter, column: StreamColumn, steps: number): void {
  let before = 0;
  for (const value of column) {
    if (value === null) out.put(NULL_MARKER);
    else {
      const step = Math.round(value * steps);
      out.put(zigzag(step - before) + 1);
      before = step;
    }
  }
}

export function unpackStream(packed: Buffer): StreamColumns {
  if (packed[0] !== FORMAT_VERSION) throw new Error('Not a packed stream');
  const bytes = new VarintReader(inflateRawSync(packed.subarray(1)));
  const points = bytes.take();
  const columns: Partial<Record<keyof StreamColumns, (number | null)[]>> = {};
  while (!bytes.isAtEnd) {
    const name = STREAM_COLUMNS[bytes.take()];
    if (name === undefined) throw new Error('A packed stream has an unknown column');
    columns[name] = unpackColumn(bytes, points, STEPS_PER_UNIT[name]);
  }
  const { time = [], ...others } = columns;
  return { ...others, time: time.filter((moment) => moment !== null) };
}

function unpackColumn(bytes: VarintReader, points: number, steps: number): (number | null)[] {
  let before = 0;
  return Array.from({ length: points }, () => {
    const read = bytes.take();
    if (read === NULL_MARKER) return null;
    before += unzigzag(read - 1);
    return before / steps;
  });
}

/** Maps small signed integers to small unsigned ones. */
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
const unzigzag = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

/** Writes integers below 2^53 as little-endian base-128 varints. */
class VarintWriter {
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

class VarintReader {
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
      if (byte === undefined) throw new Error('A packed stream is truncated');
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  }
}
