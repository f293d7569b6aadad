import { isoTimestamp } from '../../platform/clock.ts';
import {
  describeProvider,
  type HealthSample,
  type SampledResource,
  hypnogram,
  TIMESERIES,
} from '../../readings/readings.ts';
import type { Source } from '../../readings/schema.ts';
import type { StoredSource } from './stored.ts';

/** A source in the format of the contract. */
export function toSourceView(stored: StoredSource): Source {
  const { name, slug, logo } = describeProvider(stored.provider);
  return {
    provider: stored.provider,
    type: stored.type,
    app_id: stored.appId,
    device_id: stored.deviceId,
    sport: stored.sport,
    workout_id: stored.workoutId,
    name,
    slug,
    logo,
  };
}

/** How samples of a resource are shown. */
interface SampleViewShape {
  readonly unit: string;
  readonly isOverTime: boolean;
  /** Resource-specific fields, null if absent. Ingestion has checked that required fields are present. */
  readonly others: readonly string[];
  readonly hasValue: boolean;
}

const COMMON = new Set(['id', 'unit', 'timestamp', 'timezone_offset', 'type', 'start', 'end', 'value']);

const toViewShape = (shape: Readonly<Record<string, unknown>>, unit: unknown): SampleViewShape => ({
  unit: String(unit),
  isOverTime: 'end' in shape,
  hasValue: 'value' in shape,
  others: Object.keys(shape).filter((name) => !COMMON.has(name)),
});

const VIEW_SHAPES: ReadonlyMap<string, SampleViewShape> = new Map(
  Object.entries({ ...TIMESERIES, hypnogram }).map(([name, { sample }]) => [
    name,
    toViewShape(sample.shape, sample.shape.unit.value),
  ]),
);

/** A sample in the schema of its resource. Without a known end, the end is the start. */
export function toSampleView(resource: SampledResource, sample: HealthSample): Record<string, unknown> {
  const form = VIEW_SHAPES.get(resource);
  if (!form) throw new Error(`The resource ${resource} has no samples`);
  const timestamp = toIso(sample.at);
  const view: Record<string, unknown> = {
    timestamp,
    timezone_offset: sample.offset,
    type: sample.type,
    unit: form.unit,
  };
  if (form.isOverTime) {
    view['start'] = timestamp;
    view['end'] = sample.until === null ? timestamp : toIso(sample.until);
  }
  if (form.hasValue) view['value'] = sample.value ?? sample.more?.['value'];
  for (const name of form.others) view[name] = sample.more?.[name] ?? null;
  return view;
}

const toIso = (at: number): string => isoTimestamp(new Date(at));
