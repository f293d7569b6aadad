import { isoTimestamp } from '../../platform/clock.ts';
import {
  findSportId,
  matchSport,
  type SummaryReading,
  type SummaryResource,
} from '../../readings/readings.ts';
import { createFault } from '../ingestion/ingestion.ts';
import { collectNested, type PhoneReadings } from './daily-summaries.ts';
import {
  asItem,
  asItems,
  dayOf,
  integerOf,
  momentOf,
  numberOf,
  offsetOf,
  originOf,
  textOf,
  withPlainNames,
  type PhoneContext,
  type PhoneItem,
} from './payload.ts';
import { SampleCollector } from './samples.ts';
import { toStageIntervals, sumStages, type StageInterval } from './sleep-stages.ts';

/** A sleep or a workout, with its times. */
interface PhoneSession {
  readonly item: PhoneItem;
  readonly index: number;
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly offset: number | null;
  readonly zone: string | null;
}

/** The sessions of a request; one without its times is a fault. */
function openSessions(context: PhoneContext, data: unknown, collector: SampleCollector): PhoneSession[] {
  return asItems(data).flatMap((given, index) => {
    const item = withPlainNames(given);
    const [from, to] = [momentOf(item['start_date']), momentOf(item['end_date'])];
    if (from === null || to === null || to < from) {
      const field = from === null ? 'start_date' : 'end_date';
      collector.faults.push({ ...createFault([field], 'expected a timestamp', 'datetime_format'), index });
      return [];
    }
    const zone = textOf(asItem(given['metadata'])['HKTimeZone']) ?? context.timeZone;
    const key =
      textOf(item['id'])?.slice(0, 200) ??
      `${isoTimestamp(new Date(from))} ${textOf(item['source_bundle']) ?? ''}`;
    return [{ item, index, key, from, to, offset: offsetOf(zone, from), zone }];
  });
}

interface SessionSummary {
  readonly resource: SummaryResource;
  readonly session: PhoneSession;
  readonly day: string;
  readonly body: PhoneItem;
}

const toSummary = (
  context: PhoneContext,
  { resource, session, day, body }: SessionSummary,
): SummaryReading => ({
  kind: 'summary',
  resource,
  origin: originOf(context, session.item),
  key: session.key,
  at: session.from,
  day,
  body,
  raw: null,
});

/** Sleeps with their stages: a summary, the sleep cycle, the hypnogram, and the samples that the sleep contains. */
export function toSleeps(context: PhoneContext, data: unknown): PhoneReadings {
  const collector = new SampleCollector(context);
  const summaries = openSessions(context, data, collector).flatMap((session) => {
    const { item, index, to, zone } = session;
    collectNested(collector, item, { index, within: sourceOf(item) });
    const stages = toStageIntervals(asItem(item['sleep_stages']));
    for (const { from: at, until, code } of stages) {
      const sample = { at, until, offset: offsetOf(zone, at), type: null, value: code, more: null };
      collector.put('hypnogram', originOf(context, item), sample);
    }
    const day = dayOf(zone, to);
    const sleep = toSummary(context, { resource: 'sleep', session, day, body: toSleepBody(session, stages) });
    if (stages.length === 0) return [sleep];
    const cycle = toCycleBody(session, stages);
    return [sleep, toSummary(context, { resource: 'sleep_cycle', session, day, body: cycle })];
  });
  return { summaries, samples: collector.readings(), faults: collector.faults };
}

function toSleepBody({ item, from, to, offset }: PhoneSession, stages: readonly StageInterval[]): PhoneItem {
  const { awake, light, deep, rem, asleep } = sumStages(stages);
  const duration = Math.round((to - from) / 1000);
  const total = stages.length === 0 ? duration : asleep;
  const [wrist] = asItems(item['wrist_temperature']);
  return {
    bedtime_start: isoTimestamp(new Date(from)),
    bedtime_stop: isoTimestamp(new Date(to)),
    timezone_offset: offset,
    duration,
    total,
    awake,
    light,
    deep,
    rem,
    score: integerOf(item['score']),
    efficiency: duration === 0 ? null : Math.min(100, Math.round((total / duration) * 1000) / 10),
    hr_lowest: integerOf(item['heart_rate_minimum']),
    hr_average: integerOf(item['heart_rate_mean']),
    average_hrv: numberOf(item['hrv_mean_sdnn']),
    respiratory_rate: numberOf(item['respiratory_rate_mean']),
    skin_temperature: wrist ? numberOf(wrist['value']) : null,
  };
}

function toCycleBody({ from, to, zone }: PhoneSession, stages: readonly StageInterval[]): PhoneItem {
  const since = (at: number) => Math.round((at - from) / 1000);
  return {
    session_start: isoTimestamp(new Date(from)),
    session_end: isoTimestamp(new Date(to)),
    time_zone: zone,
    stage_start_offset_second: stages.map(({ from: at }) => since(at)),
    stage_end_offset_second: stages.map(({ until }) => since(until)),
    stage_type: stages.map(({ code }) => code),
  };
}

const sourceOf = ({ source_bundle, product_type, source_type, metadata }: PhoneItem): PhoneItem => ({
  source_bundle,
  product_type,
  source_type,
  metadata,
});

const ZONES = [1, 2, 3, 4, 5, 6];

/** Workouts, and the samples that they contain. */
export function toWorkouts(context: PhoneContext, data: unknown): PhoneReadings {
  const collector = new SampleCollector(context);
  const summaries = openSessions(context, data, collector).map((session) => {
    const { item, index, from, zone } = session;
    collectNested(collector, item, { index, within: sourceOf(item) });
    return toSummary(context, {
      resource: 'workouts',
      session,
      day: dayOf(zone, from),
      body: toWorkoutBody(session),
    });
  });
  return { summaries, samples: collector.readings(), faults: collector.faults };
}

function toWorkoutBody({ item, key, from, to, offset }: PhoneSession): PhoneItem {
  const zones = ZONES.map((zone) => integerOf(item[`heart_rate_zone_${zone}`]));
  const sport = matchSport(textOf(item['sport']));
  return {
    provider_id: key,
    title: null,
    sport: { id: findSportId(sport.slug) ?? 0, name: sport.name, slug: sport.slug },
    time_start: isoTimestamp(new Date(from)),
    time_end: isoTimestamp(new Date(to)),
    timezone_offset: offset,
    moving_time: integerOf(item['moving_time']),
    average_hr: integerOf(item['heart_rate_mean']),
    max_hr: integerOf(item['heart_rate_maximum']),
    hr_zones: zones.every((seconds) => seconds === null) ? null : zones.map((seconds) => seconds ?? 0),
    distance: numberOf(item['distance']),
    calories: numberOf(item['calories']),
    total_elevation_gain: numberOf(item['ascent_elevation']),
  };
}
