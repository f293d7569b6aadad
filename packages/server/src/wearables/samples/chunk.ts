import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import type { HealthSample } from '../../readings/readings.ts';
import { IntegerReader, IntegerWriter } from './varints.ts';

/** A stored sample, with the id of its source. */
export interface StoredSample extends HealthSample {
  readonly sourceId: number;
}

/** The source may be left out if it is stored elsewhere. */
type PackableSample = HealthSample & Partial<Pick<StoredSample, 'sourceId'>>;

/**
 * Packs samples, which must be sorted by time. Format: a format byte, then, deflated if worthwhile, the length of the
 * header, the header as JSON, and the columns. Timestamps are delta-of-delta encoded, so that a regular interval is
 * zeros; values are deltas of scaled integers with the fewest decimals that represent all of them exactly. A column
 * with a single distinct value is stored only in the header.
 */
export function packChunk(samples: readonly PackableSample[]): Buffer {
  const out = writer.clear();
  const head: ChunkHeader = {
    count: samples.length,
    offsets: distinct(samples, getOffset),
    types: distinct(samples, getType),
    sources: distinct(samples, getSourceId).filter((id) => id !== undefined),
    untils: samples.some(({ until }) => until !== null),
    values: chooseValueEncoding(samples),
    more: samples.some(({ more }) => more !== null) ? collectMore(samples) : [],
  };
  writeTimestamps(out, samples);
  if (head.untils) {
    for (const { until } of samples) out.write(until === null ? 0 : 1);
    for (const { at, until } of samples) out.write(until === null ? 0 : until - at);
  }
  writeChoice(out, head.offsets, { samples, of: getOffset });
  writeChoice(out, head.types, { samples, of: getType });
  writeChoice(out, head.sources, { samples, of: getSourceId });
  const values = head.values === 'none' ? [] : samples.map(({ value }) => value);
  const tail = writeValues(out, head.values, values);
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(text.length);
  const plain = [length, text, tail, out.done()];
  const bytes = plain.reduce((sum, part) => sum + part.length, 0);
  return bytes < DEFLATE_MIN_BYTES
    ? Buffer.concat([PLAIN_FORM, ...plain])
    : Buffer.concat([DEFLATED_FORM, deflateRawSync(Buffer.concat(plain))]);
}

const writer = new IntegerWriter();

const getOffset = ({ offset }: PackableSample) => offset;
const getType = ({ type }: PackableSample) => type;
const getSourceId = ({ sourceId }: PackableSample) => sourceId;

const DEFLATED = 1;
const PLAIN = 2;
const DEFLATED_FORM = Buffer.of(DEFLATED);
const PLAIN_FORM = Buffer.of(PLAIN);
/** Below this size deflating costs more than everything else. */
const DEFLATE_MIN_BYTES = 512;

/** Values are absent, doubles, or integers scaled by this number of decimals. */
const ValueEncoding = z.union([z.literal('none'), z.literal('doubles'), z.int().min(0).max(9)]);
type ValueEncoding = z.output<typeof ValueEncoding>;

const ChunkHeader = z.object({
  count: z.int().min(0),
  offsets: z.array(z.number().nullable()),
  types: z.array(z.string().nullable()),
  sources: z.array(z.number()),
  untils: z.boolean(),
  values: ValueEncoding,
  more: z.array(z.tuple([z.int(), z.record(z.string(), z.unknown())]).readonly()),
});
type ChunkHeader = z.output<typeof ChunkHeader>;

const collectMore = (samples: readonly PackableSample[]): ChunkHeader['more'] =>
  samples.flatMap(({ more }, index) => (more === null ? [] : [[index, more] as const]));

function distinct<T>(samples: readonly PackableSample[], of: (sample: PackableSample) => T): T[] {
  const [first] = samples;
  if (!first) return [];
  const only = of(first);
  return samples.every((sample) => of(sample) === only) ? [only] : [...new Set(samples.map(of))];
}

function writeTimestamps(out: IntegerWriter, samples: readonly PackableSample[]): void {
  let [last, step] = [0, 0];
  for (const { at } of samples) {
    out.write(at - last - step);
    step = at - last;
    last = at;
  }
}

interface ChoiceColumn<T> {
  readonly samples: readonly PackableSample[];
  readonly of: (sample: PackableSample) => T;
}

function writeChoice<T>(out: IntegerWriter, choices: readonly T[], { samples, of }: ChoiceColumn<T>): void {
  if (choices.length < 2) return;
  const places = new Map(choices.map((choice, index) => [choice, index]));
  for (const sample of samples) out.write(places.get(of(sample)) ?? 0);
}

const DECIMALS_MAX = 6;
/** Beyond this, the difference of two integers would not be exact. */
const EXACT_MAX = 2 ** 51;

function chooseValueEncoding(samples: readonly PackableSample[]): ValueEncoding {
  if (samples.every(({ value }) => value === null)) return 'none';
  for (let decimals = 0; decimals <= DECIMALS_MAX; decimals += 1) {
    if (samples.every(({ value }) => value === null || isExact(value, decimals))) return decimals;
  }
  return 'doubles';
}

function isExact(value: number, decimals: number): boolean {
  const power = 10 ** decimals;
  const whole = Math.round(value * power);
  return Math.abs(whole) < EXACT_MAX && whole / power === value;
}

/** Returns the doubles, which precede the integers. The null bitmap is written only if a value is null. */
function writeValues(out: IntegerWriter, form: ValueEncoding, values: readonly (number | null)[]): Buffer {
  if (form === 'none') return Buffer.alloc(0);
  const isMissing = values.some((value) => value === null);
  out.write(isMissing ? 1 : 0);
  if (isMissing) for (const value of values) out.write(value === null ? 1 : 0);
  if (form === 'doubles') return Buffer.from(Float64Array.from(values, (value) => value ?? 0).buffer);
  const power = 10 ** form;
  let last = 0;
  for (const value of values) {
    const whole = value === null ? last : Math.round(value * power);
    out.write(whole - last);
    last = whole;
  }
  return Buffer.alloc(0);
}

/** Which samples of a chunk to unpack; `to` is exclusive. */
export interface SampleRange {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

const WHOLE_RANGE: SampleRange = { from: -Infinity, to: Infinity, limit: Infinity };

/**
 * Unpacks a chunk, or a range of it: decoding numbers is fast, creating objects is slow. Samples that were packed
 * without a source get `sourceId`.
 */
export function unpackChunk(bytes: Buffer, part: SampleRange = WHOLE_RANGE, sourceId = 0): StoredSample[] {
  const plain = inflateChunk(bytes);
  const headEnd = 4 + plain.readUInt32LE(0);
  const head = ChunkHeader.parse(JSON.parse(plain.toString('utf8', 4, headEnd)));
  const { count } = head;
  const doublesEnd = headEnd + (head.values === 'doubles' ? 8 * count : 0);
  const from = new IntegerReader(plain, doublesEnd);
  const at = readTimestamps(from, count);
  const until = head.untils ? readUntils(from, at) : undefined;
  const offset = readChoice(from, head.offsets, count);
  const type = readChoice(from, head.types, count);
  const source = readChoice(from, head.sources, count);
  const value = readValues(from, head, plain.subarray(headEnd, doublesEnd));
  const more = new Map(head.more);
  const samples: StoredSample[] = [];
  const first = at.findIndex((moment) => moment >= part.from);
  for (let n = first === -1 ? count : first; n < count && samples.length < part.limit; n += 1) {
    if ((at[n] ?? 0) >= part.to) break;
    samples.push({
      at: at[n] ?? 0,
      until: until ? (until[n] ?? null) : null,
      offset: offset(n) ?? null,
      type: type(n) ?? null,
      value: value ? (value[n] ?? null) : null,
      more: more.size > 0 ? (more.get(n) ?? null) : null,
      sourceId: source(n) ?? sourceId,
    });
  }
  return samples;
}

function inflateChunk(bytes: Buffer): Buffer {
  const rest = bytes.subarray(1);
  if (bytes[0] === PLAIN) return rest;
  if (bytes[0] === DEFLATED) return inflateRawSync(rest);
  throw new Error(`A chunk of samples has the unknown format ${bytes[0]}`);
}

function readTimestamps(from: IntegerReader, count: number): Float64Array {
  const moments = from.read(count);
  let [last, step] = [0, 0];
  for (let n = 0; n < count; n += 1) {
    step += moments[n] ?? 0;
    last += step;
    moments[n] = last;
  }
  return moments;
}

function readUntils(from: IntegerReader, moments: Float64Array): (number | null)[] {
  const isThere = from.read(moments.length);
  const lengths = from.read(moments.length);
  return Array.from(moments, (at, n) => (isThere[n] === 1 ? at + (lengths[n] ?? 0) : null));
}

/** Returns undefined only if the bytes are corrupt. */
function readChoice<T>(
  from: IntegerReader,
  choices: readonly T[],
  count: number,
): (n: number) => T | undefined {
  const [only] = choices;
  if (choices.length < 2) return () => only;
  const places = from.read(count);
  return (n) => choices[places[n] ?? -1];
}

function readValues(
  from: IntegerReader,
  { values: form, count }: ChunkHeader,
  doubles: Buffer,
): Float64Array | (number | null)[] | undefined {
  if (form === 'none') return undefined;
  const missing = from.read(1)[0] === 1 ? from.read(count) : undefined;
  const values = form === 'doubles' ? readDoubles(doubles, count) : readDecimals(from, form, count);
  return missing ? Array.from(values, (value, n) => (missing[n] === 1 ? null : value)) : values;
}

const readDoubles = (bytes: Buffer, count: number): Float64Array =>
  Float64Array.from({ length: count }, (_, n) => bytes.readDoubleLE(8 * n));

function readDecimals(from: IntegerReader, decimals: number, count: number): Float64Array {
  const values = from.read(count);
  const power = 10 ** decimals;
  let whole = 0;
  for (let n = 0; n < count; n += 1) {
    whole += values[n] ?? 0;
    values[n] = whole / power;
  }
  return values;
}
