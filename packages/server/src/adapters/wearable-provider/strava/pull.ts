import type { ReadingOrigin, HealthReading, StreamColumns } from '../../../readings/readings.ts';
import type { ProviderApi } from '../api.ts';
import type { PullFunction } from '../definition.ts';
import { UNDATED, createOrigin, createSummary } from '../create-readings.ts';
import type { ProviderTimeSpan } from '../port.ts';
import { toSport } from '../sports.ts';
import { toLocalDay, parseInstant, toIsoTimestamp, toUnixSeconds } from '../times.ts';
import { lenientList, toNullable, toIntegerOrNull } from '../wire.ts';
import * as wire from './wire.ts';

const APP_ORIGIN: ReadingOrigin = createOrigin('strava', 'app');
const ROOT = '/api/v3';
const PAGE = 200;

/** The activities of a window, oldest first. Sorted here, because Strava's order depends on the query. */
async function fetchActivities(api: ProviderApi, span: ProviderTimeSpan): Promise<wire.StravaActivity[]> {
  const all: wire.StravaActivity[] = [];
  for (let page = 1; ; page += 1) {
    // `after` is exclusive; subtract one second to include the start.
    const query = {
      after: toUnixSeconds(span.from) - 1,
      before: toUnixSeconds(span.to),
      page,
      per_page: PAGE,
    };
    const some = await api.read(lenientList(wire.StravaActivity), `${ROOT}/athlete/activities`, { query });
    all.push(...some);
    if (some.length < PAGE) return all.toSorted((one, other) => readStart(one).at - readStart(other).at);
  }
}

/** `start_date_local` is local time written as if it were UTC. */
function readStart({ start_date, start_date_local }: wire.StravaActivity) {
  const { at } = parseInstant(start_date);
  const wall = start_date_local == null ? Number.NaN : Date.parse(start_date_local);
  return { at, offset: Number.isNaN(wall) ? null : Math.round((wall - at) / 1000) };
}

/** The detail is missing if it was not requested, and null if the activity has none. */
function toWorkout(given: wire.StravaActivity, detail?: wire.StravaActivityDetail | null): HealthReading {
  const { at, offset } = readStart(given);
  const map = given.map;
  return createSummary({
    resource: 'workouts',
    origin: APP_ORIGIN,
    key: given.id,
    at,
    day: toLocalDay(at, offset),
    raw: given,
    detail: { fields: ['calories'], isRead: detail !== undefined },
    body: {
      title: toNullable(given.name),
      sport: toSport(given.sport_type ?? given.type),
      time_start: toIsoTimestamp(at),
      time_end: toIsoTimestamp(at + given.elapsed_time * 1000),
      timezone_offset: offset,
      moving_time: toIntegerOrNull(given.moving_time),
      average_hr: toIntegerOrNull(given.average_heartrate),
      max_hr: toIntegerOrNull(given.max_heartrate),
      distance: toNullable(given.distance),
      calories: toNullable(detail?.calories),
      total_elevation_gain: toNullable(given.total_elevation_gain),
      elev_high: toNullable(given.elev_high),
      elev_low: toNullable(given.elev_low),
      average_speed: toNullable(given.average_speed),
      max_speed: toNullable(given.max_speed),
      average_watts: toNullable(given.average_watts),
      device_watts: given.device_watts === true ? toNullable(given.average_watts) : null,
      max_watts: toNullable(given.max_watts),
      weighted_average_watts: toNullable(given.weighted_average_watts),
      map: map
        ? { polyline: toNullable(map.polyline), summary_polyline: toNullable(map.summary_polyline) }
        : null,
    },
  });
}

/** Each detail is a request, and requests are limited: only those of new activities are read. */
export const workouts: PullFunction = async function* (api, { span, known }) {
  for (const activity of await fetchActivities(api, span)) {
    yield known.has(activity.id) ? toWorkout(activity) : toWorkout(activity, await readDetail(api, activity));
  }
};

async function readDetail(
  api: ProviderApi,
  { id }: wire.StravaActivity,
): Promise<wire.StravaActivityDetail | null> {
  const path = `${ROOT}/activities/${encodeURIComponent(id)}`;
  return (await api.find(wire.StravaActivityDetail, path, { emptyStatuses: [404] })) ?? null;
}

const KEYS = 'time,latlng,distance,altitude,velocity_smooth,heartrate,cadence,watts,temp';

/**
 * Yields each workout that has a stream, followed by it. Manual entries have none and are skipped. A workout without a
 * stream is not yielded: stored without its detail, it would count as read, and its calories would never be requested.
 */
export const workoutStreams: PullFunction = async function* (api, { span, known }) {
  for (const activity of await fetchActivities(api, span)) {
    if (activity.manual === true || known.has(activity.id)) continue;
    const query = { keys: KEYS, key_by_type: 'true' };
    const path = `${ROOT}/activities/${encodeURIComponent(activity.id)}/streams`;
    const streams = await api.find(wire.StravaStreams, path, { query, emptyStatuses: [404] });
    const columns = streams && toStreamColumns(streams, readStart(activity).at / 1000);
    if (!columns) continue;
    yield toWorkout(activity);
    yield { kind: 'workout_stream', origin: APP_ORIGIN, workoutKey: activity.id, columns };
  }
};

/** The stream columns. A column whose length differs from `time` is dropped, because it cannot be aligned. */
function toStreamColumns(streams: wire.StravaStreams, from: number): StreamColumns | undefined {
  const time = streams.time?.data.map((since) => from + (since ?? 0));
  if (!time || time.length === 0) return undefined;
  const fits = <T>(column: { data: T[] } | null | undefined): T[] | undefined =>
    column?.data.length === time.length ? column.data : undefined;
  const points = fits(streams.latlng);
  const columns = {
    cadence: fits(streams.cadence),
    altitude: fits(streams.altitude),
    velocity_smooth: fits(streams.velocity_smooth),
    heartrate: fits(streams.heartrate),
    lat: points?.map((point) => point?.[0] ?? null),
    lng: points?.map((point) => point?.[1] ?? null),
    distance: fits(streams.distance),
    power: fits(streams.watts),
    temperature: fits(streams.temp),
  };
  const there = Object.entries(columns).filter(([, column]) => column !== undefined);
  return { time, ...Object.fromEntries(there) };
}

const SEXES: Readonly<Record<string, string>> = { M: 'male', F: 'female' };

export const profile: PullFunction = async function* (api) {
  const given = await api.read(wire.StravaAthlete, `${ROOT}/athlete`);
  const body = { sex: SEXES[given.sex ?? ''] ?? null };
  yield createSummary({
    resource: 'profile',
    origin: APP_ORIGIN,
    key: given.id,
    ...UNDATED,
    raw: given,
    body,
  });
};
