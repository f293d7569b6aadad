import type {
  ReadingOrigin,
  SampleReading,
  SummaryReading,
  SummaryResource,
} from '../../readings/readings.ts';
import { isFault } from '../ingestion/ingestion.ts';
import {
  asItem,
  asItems,
  dayOf,
  integerOf,
  momentOf,
  numberOf,
  originOf,
  textOf,
  withPlainNames,
  type PhoneContext,
  type PhoneItem,
} from './payload.ts';
import { BODY_SAMPLES, NESTED_SAMPLES, PHONE_SAMPLES } from './resources.ts';
import { SampleCollector, toSample, type PhoneFault } from './samples.ts';

/** What one request has, ready for the ingestion. */
export interface PhoneReadings {
  readonly summaries: readonly SummaryReading[];
  readonly samples: readonly SampleReading[];
  readonly faults: readonly PhoneFault[];
}

interface DaySummary {
  readonly resource: SummaryResource;
  readonly origin: ReadingOrigin;
  readonly day: string;
  readonly body: PhoneItem;
}

/** A summary of a day; it is the same summary when it arrives again. */
const toDaySummary = ({ resource, origin, day, body }: DaySummary): SummaryReading => ({
  kind: 'summary',
  resource,
  origin,
  key: day,
  at: Date.parse(`${day}T00:00:00Z`),
  day,
  body,
  raw: null,
});

/** Many samples of one kind, summarized by the phone or read from several devices. */
const wholePhone = (context: PhoneContext): ReadingOrigin => originOf(context, { type: 'multiple_sources' });

/** Adds the samples that an activity, sleep or workout contains. */
export function collectNested(
  collector: SampleCollector,
  item: PhoneItem,
  at: { readonly index: number; readonly within?: PhoneItem },
): void {
  for (const [field, name] of Object.entries(NESTED_SAMPLES)) {
    const kind = PHONE_SAMPLES[name];
    if (kind) for (const sample of asItems(item[field])) collector.add(kind, sample, at);
  }
}

/** Days of activity: the sums of the day, and the samples that were not sent as timeseries. */
export function toActivities(context: PhoneContext, data: unknown): PhoneReadings {
  const collector = new SampleCollector(context);
  const summaries = asItems(data).flatMap((given, index) => {
    const item = withPlainNames(given);
    collectNested(collector, item, { index });
    const day = withPlainNames(asItem(item['day_summary']));
    const date = textOf(day['calendar_date']);
    if (date === null) return [];
    const body = toActivityBody(day, context);
    return [toDaySummary({ resource: 'activity', origin: wholePhone(context), day: date, body })];
  });
  return { summaries, samples: collector.readings(), faults: collector.faults };
}

function toActivityBody(day: PhoneItem, { timeZone }: PhoneContext): PhoneItem {
  const [active, basal] = [
    numberOf(day['active_energy_burned_sum']),
    numberOf(day['basal_energy_burned_sum']),
  ];
  const heart = {
    avg_bpm: numberOf(day['avg_heart_rate']),
    min_bpm: numberOf(day['min_heart_rate']),
    max_bpm: numberOf(day['max_heart_rate']),
    resting_bpm: numberOf(day['resting_heart_rate']),
  };
  const hasHeart = Object.values(heart).some((value) => value !== null);
  return {
    time_zone: timeZone,
    calories_active: active,
    // One part alone would look like a day of little energy.
    calories_total: active === null || basal === null ? null : active + basal,
    steps: integerOf(day['steps_sum']),
    distance: numberOf(day['distance_walking_running_sum']) ?? numberOf(day['distance_wheelchair']),
    floors_climbed: integerOf(day['floors_climbed_sum']),
    low: numberOf(day['low']),
    medium: numberOf(day['medium']),
    high: numberOf(day['high']),
    heart_rate: hasHeart ? heart : null,
    wheelchair_use: day['wheelchair_use'] === true ? true : null,
    wheelchair_push: integerOf(day['wheelchair_push']),
  };
}

/** The measurements of a body, as samples and as the summary of each day and source, with the last value of the day. */
export function toBody(context: PhoneContext, data: unknown): PhoneReadings {
  const item = asItem(data);
  const collector = new SampleCollector(context);
  const days = new Map<
    string,
    { origin: ReadingOrigin; day: string; values: Map<string, [number, number]> }
  >();
  for (const [name, kind] of Object.entries(BODY_SAMPLES))
    for (const [index, given] of asItems(item[name]).entries()) {
      const sample = toSample(kind, given, context);
      if (isFault(sample)) {
        collector.faults.push({ ...sample, index, loc: [name, index, ...sample.loc] });
        continue;
      }
      const origin = originOf(context, given);
      collector.put(kind.resource, origin, sample);
      const day = dayOf(textOf(asItem(given['metadata'])['HKTimeZone']) ?? context.timeZone, sample.at);
      const key = `${day} ${JSON.stringify(origin)}`;
      const known = days.get(key) ?? { origin, day, values: new Map<string, [number, number]>() };
      days.set(key, known);
      const [last] = known.values.get(kind.field) ?? [Number.NEGATIVE_INFINITY];
      if (sample.at >= last && sample.value !== null) known.values.set(kind.field, [sample.at, sample.value]);
    }
  const summaries = [...days.values()].map(({ origin, day, values }) => {
    const body = Object.fromEntries([...values].map(([field, [, value]]) => [field, value]));
    const summary = toDaySummary({ resource: 'body', origin, day, body });
    return {
      ...summary,
      key: [day, origin.appId, origin.device?.model].filter(Boolean).join(' ').slice(0, 200),
    };
  });
  return { summaries, samples: collector.readings(), faults: collector.faults };
}

const SEXES: readonly unknown[] = ['female', 'male', 'other'];

/** The profile of a user. What the phone leaves out is unknown, not empty. */
export function toProfile(context: PhoneContext, data: unknown): PhoneReadings {
  const item = asItem(data);
  const sex = SEXES.includes(item['biological_sex']) ? item['biological_sex'] : null;
  const born = momentOf(item['date_of_birth']);
  const body = {
    height: integerOf(item['height']),
    birth_date: born === null ? null : new Date(born).toISOString().slice(0, 10),
    wheelchair_use: item['wheelchair_use'] === true ? true : null,
    sex,
    gender: null,
  };
  if (Object.values(body).every((value) => value === null)) return { summaries: [], samples: [], faults: [] };
  const at = { day: context.now.toISOString().slice(0, 10), at: context.now.getTime() };
  const origin = originOf(context, {});
  const reading = { kind: 'summary', resource: 'profile', origin, key: 'profile', body, raw: null } as const;
  return { summaries: [{ ...reading, ...at }], samples: [], faults: [] };
}
