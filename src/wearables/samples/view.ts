import { isoMoment } from '../../platform/clock.ts';
import { providerNamed } from '../providers.ts';
import type { Sample, SampledResource } from '../readings.ts';
import type { Source } from '../source.ts';
import { hypnogram, TIMESERIES } from '../timeseries/timeseries.ts';
import type { StoredSource } from './stored.ts';

/** The source as callers see it. */
export function viewSource(stored: StoredSource): Source {
  const { name, slug, logo } = providerNamed(stored.provider);
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

/** What all samples of a resource have: its unit, whether they are over a time, and the fields of their own. */
interface Form {
  readonly unit: string;
  readonly isOverTime: boolean;
  /** Null where they are not said; a field that must be said is, or the sample would not have been taken in. */
  readonly others: readonly string[];
  readonly hasValue: boolean;
}

const COMMON = new Set(['id', 'unit', 'timestamp', 'timezone_offset', 'type', 'start', 'end', 'value']);

const formOf = (shape: Readonly<Record<string, unknown>>, unit: unknown): Form => ({
  unit: String(unit),
  isOverTime: 'end' in shape,
  hasValue: 'value' in shape,
  others: Object.keys(shape).filter((name) => !COMMON.has(name)),
});

const FORMS: ReadonlyMap<string, Form> = new Map(
  Object.entries({ ...TIMESERIES, hypnogram }).map(([name, { sample }]) => [
    name,
    formOf(sample.shape, sample.shape.unit.value),
  ]),
);

/** The sample as its resource's schema has it. What lasted no time that is known ends when it began. */
export function viewSample(resource: SampledResource, sample: Sample): Record<string, unknown> {
  const form = FORMS.get(resource);
  if (!form) throw new Error(`There are no samples of ${resource}`);
  const timestamp = momentOf(sample.at);
  const view: Record<string, unknown> = {
    timestamp,
    timezone_offset: sample.offset,
    type: sample.type,
    unit: form.unit,
  };
  if (form.isOverTime) {
    view['start'] = timestamp;
    view['end'] = sample.until === null ? timestamp : momentOf(sample.until);
  }
  if (form.hasValue) view['value'] = sample.value ?? sample.more?.['value'];
  for (const name of form.others) view[name] = sample.more?.[name] ?? null;
  return view;
}

const momentOf = (at: number): string => isoMoment(new Date(at));
