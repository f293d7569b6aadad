import { z } from 'zod';
import type { SampledResource } from '../readings.ts';
import { lenient, part, wordsOf } from '../records/records.ts';
import { hypnogram, TIMESERIES } from '../timeseries/timeseries.ts';
import { SAMPLE_BOUNDS, type Bounds } from './bounds.ts';

/** What all samples of a resource must be. */
export interface SampleForm {
  readonly unit: string;
  readonly isOverTime: boolean;
  readonly type: { readonly isNeeded: boolean; readonly words: ReadonlySet<string> | null };
  /** A text, as that of a note, stands among the others. */
  readonly hasNumber: boolean;
  readonly bounds: Bounds;
  /** The fields that this resource has beside those of all; null where it has none. */
  readonly others: z.ZodType<Readonly<Record<string, unknown>>> | null;
}

const COMMON = new Set(['id', 'unit', 'timestamp', 'timezone_offset', 'type', 'start', 'end']);
const TEXT_LENGTH_MAX = 10_000;

const forms = new Map(
  Object.entries({ ...TIMESERIES, hypnogram }).map(([name, { sample }]) => [
    name,
    formOf(sample.shape, SAMPLE_BOUNDS[name as SampledResource], String(sample.shape.unit.value)),
  ]),
);

function formOf(shape: z.ZodRawShape, bounds: Bounds, unit: string): SampleForm {
  const { value } = shape;
  const hasNumber = value instanceof z.ZodNumber || value instanceof z.ZodLiteral;
  const names = Object.keys(shape).filter((name) => !COMMON.has(name) && !(hasNumber && name === 'value'));
  const others = names.map((name) => [name, fieldOf(shape[name])] as const);
  return {
    unit,
    bounds,
    hasNumber,
    isOverTime: 'end' in shape,
    type: typeOf(shape['type']),
    others: names.length === 0 ? null : z.object(Object.fromEntries(others)),
  };
}

function fieldOf(schema: z.core.$ZodType | undefined): z.ZodType {
  const read = lenient(part(schema));
  const isShort = (value: unknown) => typeof value !== 'string' || value.length <= TEXT_LENGTH_MAX;
  return read.refine(isShort, `expected at most ${TEXT_LENGTH_MAX} characters`);
}

function typeOf(schema: z.core.$ZodType | undefined): SampleForm['type'] {
  const given = part(schema);
  const isNeeded = !(given instanceof z.ZodNullable);
  const words = wordsOf(isNeeded ? given : part(given.unwrap()));
  return { isNeeded, words: words ? new Set(words) : null };
}

/** Undefined for what is not told sample by sample. */
export const sampleFormOf = (resource: string): SampleForm | undefined => forms.get(resource);

const byPath = new Map(
  Object.entries({ ...TIMESERIES, hypnogram }).map(([name, row]) => ['path' in row ? row.path : name, name]),
);

/** What addresses call the resources that have samples. */
export const SAMPLED_PATHS: readonly string[] = [...byPath.keys()];

/** The resource of an address, as `weight` is that of `body_weight`. */
export const sampledAt = (path: string): SampledResource => byPath.get(path) as SampledResource;
