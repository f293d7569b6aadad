import { z } from 'zod';
import { type SampledResource, hypnogram, TIMESERIES } from '../../readings/readings.ts';
import { toLenientSchema, asSchema, getEnumValues } from '../records/records.ts';
import { SAMPLE_BOUNDS, type ValueBounds } from './bounds.ts';

/** The validation rules for samples of a resource. */
export interface SampleSpec {
  readonly unit: string;
  readonly isOverTime: boolean;
  readonly type: { readonly isNeeded: boolean; readonly words: ReadonlySet<string> | null };
  /** False for notes, whose text value is one of the `others`. */
  readonly hasNumber: boolean;
  readonly bounds: ValueBounds;
  /** The resource-specific fields; null if there are none. */
  readonly others: z.ZodType<Readonly<Record<string, unknown>>> | null;
}

const COMMON = new Set(['id', 'unit', 'timestamp', 'timezone_offset', 'type', 'start', 'end']);
const TEXT_LENGTH_MAX = 10_000;

const specs = new Map(
  Object.entries({ ...TIMESERIES, hypnogram }).map(([name, { sample }]) => [
    name,
    createSpec(sample.shape, SAMPLE_BOUNDS[name as SampledResource], String(sample.shape.unit.value)),
  ]),
);

function createSpec(shape: z.ZodRawShape, bounds: ValueBounds, unit: string): SampleSpec {
  const { value } = shape;
  const hasNumber = value instanceof z.ZodNumber || value instanceof z.ZodLiteral;
  const names = Object.keys(shape).filter((name) => !COMMON.has(name) && !(hasNumber && name === 'value'));
  const others = names.map((name) => [name, toExtraField(shape[name])] as const);
  return {
    unit,
    bounds,
    hasNumber,
    isOverTime: 'end' in shape,
    type: toTypeSpec(shape['type']),
    others: names.length === 0 ? null : z.object(Object.fromEntries(others)),
  };
}

function toExtraField(schema: z.core.$ZodType | undefined): z.ZodType {
  const read = toLenientSchema(asSchema(schema));
  const isShort = (value: unknown) => typeof value !== 'string' || value.length <= TEXT_LENGTH_MAX;
  return read.refine(isShort, `expected at most ${TEXT_LENGTH_MAX} characters`);
}

function toTypeSpec(schema: z.core.$ZodType | undefined): SampleSpec['type'] {
  const given = asSchema(schema);
  const isNeeded = !(given instanceof z.ZodNullable);
  const words = getEnumValues(isNeeded ? given : asSchema(given.unwrap()));
  return { isNeeded, words: words ? new Set(words) : null };
}

/** Undefined for resources without samples. */
export const findSampleSpec = (resource: string): SampleSpec | undefined => specs.get(resource);

const resourceByPath = new Map(
  Object.entries({ ...TIMESERIES, hypnogram }).map(([name, row]) => ['path' in row ? row.path : name, name]),
);

/** The URL names of the resources with samples. */
export const TIMESERIES_PATHS: readonly string[] = [...resourceByPath.keys()];

/** The resource of a URL name: `body_weight` is `weight`. */
export const getResourceByPath = (path: string): SampledResource =>
  resourceByPath.get(path) as SampledResource;
