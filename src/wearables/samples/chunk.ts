import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import type { Sample } from '../readings.ts';
import { IntegerReader, IntegerWriter } from './integers.ts';

/** A sample as it is kept, with the id of its source. */
export interface KeptSample extends Sample {
  readonly sourceId: number;
}

/** A sample may be packed without its source, where that stands elsewhere. */
type Packed = Sample & Partial<Pick<KeptSample, 'sourceId'>>;

/**
 * Samples in the order of time as bytes: a form byte, then, deflated where that pays: the length of a head, the head as
 * JSON, and the columns one after the other. A moment is written as the difference of differences, so that a steady beat is zeros;
 * a value as the difference from the one before, in the smallest decimals that hold all of them. A column of which
 * all are the same is in the head alone.
 */
export function packChunk(samples: readonly Packed[]): Buffer {
  const out = writer.clear();
  const head: Head = {
    count: samples.length,
    offsets: distinct(samples, offsetOf),
    types: distinct(samples, typeOf),
    sources: distinct(samples, sourceOf).filter((id) => id !== undefined),
    untils: samples.some(({ until }) => until !== null),
    values: valueForm(samples),
    more: samples.some(({ more }) => more !== null) ? moreOf(samples) : [],
  };
  writeMoments(out, samples);
  if (head.untils) {
    for (const { until } of samples) out.write(until === null ? 0 : 1);
    for (const { at, until } of samples) out.write(until === null ? 0 : until - at);
  }
  writeChoice(out, head.offsets, { samples, of: offsetOf });
  writeChoice(out, head.types, { samples, of: typeOf });
  writeChoice(out, head.sources, { samples, of: sourceOf });
  const values = head.values === 'none' ? [] : samples.map(({ value }) => value);
  const tail = writeValues(out, head.values, values);
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(text.length);
  const plain = [length, text, tail, out.done()];
  const bytes = plain.reduce((sum, part) => sum + part.length, 0);
  return bytes < DEFLATE_FROM_BYTES
    ? Buffer.concat([PLAIN_FORM, ...plain])
    : Buffer.concat([DEFLATED_FORM, deflateRawSync(Buffer.concat(plain))]);
}

const writer = new IntegerWriter();

const offsetOf = ({ offset }: Packed) => offset;
const typeOf = ({ type }: Packed) => type;
const sourceOf = ({ sourceId }: Packed) => sourceId;

const DEFLATED = 1;
const PLAIN = 2;
const DEFLATED_FORM = Buffer.of(DEFLATED);
const PLAIN_FORM = Buffer.of(PLAIN);
/** Below it deflating takes longer than all the rest. */
const DEFLATE_FROM_BYTES = 512;

/** How values are written: none at all, as whole numbers of so many decimals, or as they are. */
const ValueForm = z.union([z.literal('none'), z.literal('doubles'), z.int().min(0).max(9)]);
type ValueForm = z.output<typeof ValueForm>;

const Head = z.object({
  count: z.int().min(0),
  offsets: z.array(z.number().nullable()),
  types: z.array(z.string().nullable()),
  sources: z.array(z.number()),
  untils: z.boolean(),
  values: ValueForm,
  more: z.array(z.tuple([z.int(), z.record(z.string(), z.unknown())]).readonly()),
});
type Head = z.output<typeof Head>;

const moreOf = (samples: readonly Packed[]): Head['more'] =>
  samples.flatMap(({ more }, index) => (more === null ? [] : [[index, more] as const]));

function distinct<T>(samples: readonly Packed[], of: (sample: Packed) => T): T[] {
  const [first] = samples;
  if (!first) return [];
  const only = of(first);
  return samples.every((sample) => of(sample) === only) ? [only] : [...new Set(samples.map(of))];
}

function writeMoments(out: IntegerWriter, samples: readonly Packed[]): void {
  let [last, step] = [0, 0];
  for (const { at } of samples) {
    out.write(at - last - step);
    step = at - last;
    last = at;
  }
}

interface Column<T> {
  readonly samples: readonly Packed[];
  readonly of: (sample: Packed) => T;
}

function writeChoice<T>(out: IntegerWriter, choices: readonly T[], { samples, of }: Column<T>): void {
  if (choices.length < 2) return;
  const places = new Map(choices.map((choice, index) => [choice, index]));
  for (const sample of samples) out.write(places.get(of(sample)) ?? 0);
}

const DECIMALS_MAX = 6;
/** Beyond it a difference of two would not be exact. */
const EXACT_MAX = 2 ** 51;

function valueForm(samples: readonly Packed[]): ValueForm {
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

/** Answers what stands before the whole numbers. Which values are missing is told only if one is. */
function writeValues(out: IntegerWriter, form: ValueForm, values: readonly (number | null)[]): Buffer {
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

/** Which samples of a chunk are wanted; `to` is the first moment that is not. */
export interface Part {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

const WHOLE: Part = { from: -Infinity, to: Infinity, limit: Infinity };

/**
 * The samples that `packChunk` was given, or a part of them: numbers are read quickly, objects are made slowly. Those
 * that were packed without a source are of `sourceId`.
 */
export function unpackChunk(bytes: Buffer, part: Part = WHOLE, sourceId = 0): KeptSample[] {
  const plain = plainOf(bytes);
  const headEnd = 4 + plain.readUInt32LE(0);
  const head = Head.parse(JSON.parse(plain.toString('utf8', 4, headEnd)));
  const { count } = head;
  const doublesEnd = headEnd + (head.values === 'doubles' ? 8 * count : 0);
  const from = new IntegerReader(plain, doublesEnd);
  const at = readMoments(from, count);
  const until = head.untils ? readUntils(from, at) : undefined;
  const offset = readChoice(from, head.offsets, count);
  const type = readChoice(from, head.types, count);
  const source = readChoice(from, head.sources, count);
  const value = readValues(from, head, plain.subarray(headEnd, doublesEnd));
  const more = new Map(head.more);
  const samples: KeptSample[] = [];
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

function plainOf(bytes: Buffer): Buffer {
  const rest = bytes.subarray(1);
  if (bytes[0] === PLAIN) return rest;
  if (bytes[0] === DEFLATED) return inflateRawSync(rest);
  throw new Error(`A chunk of samples has the unknown form ${bytes[0]}`);
}

function readMoments(from: IntegerReader, count: number): Float64Array {
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

/** Undefined only where the bytes are not what was written. */
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
  { values: form, count }: Head,
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
