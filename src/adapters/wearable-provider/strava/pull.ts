import type { Origin, Reading, StreamColumns } from '../../../wearables/readings.ts';
import type { Api } from '../api.ts';
import type { Pull } from '../definition.ts';
import { ofNoDay, originOf, summaryOf } from '../made.ts';
import type { Span } from '../port.ts';
import { sportOf } from '../sports.ts';
import { dayAt, instantOf, isoAt, secondsAt } from '../times.ts';
import { listOf, orNull, whole } from '../wire.ts';
import * as wire from './wire.ts';

const APP: Origin = originOf('strava', 'app');
const ROOT = '/api/v3';
const PAGE = 200;

/** Activities of a window, oldest first: which way Strava has them depends on what it is asked. */
async function activitiesIn(api: Api, span: Span): Promise<wire.StravaActivity[]> {
  const all: wire.StravaActivity[] = [];
  for (let page = 1; ; page += 1) {
    // What began at the first second is wanted, too, and `after` leaves it out.
    const query = { after: secondsAt(span.from) - 1, before: secondsAt(span.to), page, per_page: PAGE };
    const some = await api.read(listOf(wire.StravaActivity), `${ROOT}/athlete/activities`, { query });
    all.push(...some);
    if (some.length < PAGE) return all.toSorted((one, other) => startOf(one).at - startOf(other).at);
  }
}

/** `start_date_local` shows the clock on the wall as if it were UTC. */
function startOf({ start_date, start_date_local }: wire.StravaActivity) {
  const { at } = instantOf(start_date);
  const wall = start_date_local == null ? Number.NaN : Date.parse(start_date_local);
  return { at, offset: Number.isNaN(wall) ? null : Math.round((wall - at) / 1000) };
}

function workoutOf(given: wire.StravaActivity): Reading {
  const { at, offset } = startOf(given);
  const map = given.map;
  return summaryOf({
    resource: 'workouts',
    origin: APP,
    key: given.id,
    at,
    day: dayAt(at, offset),
    raw: given,
    body: {
      title: orNull(given.name),
      sport: sportOf(given.sport_type ?? given.type),
      time_start: isoAt(at),
      time_end: isoAt(at + given.elapsed_time * 1000),
      timezone_offset: offset,
      moving_time: whole(given.moving_time),
      average_hr: whole(given.average_heartrate),
      max_hr: whole(given.max_heartrate),
      distance: orNull(given.distance),
      total_elevation_gain: orNull(given.total_elevation_gain),
      elev_high: orNull(given.elev_high),
      elev_low: orNull(given.elev_low),
      average_speed: orNull(given.average_speed),
      max_speed: orNull(given.max_speed),
      average_watts: orNull(given.average_watts),
      device_watts: given.device_watts === true ? orNull(given.average_watts) : null,
      max_watts: orNull(given.max_watts),
      weighted_average_watts: orNull(given.weighted_average_watts),
      map: map ? { polyline: orNull(map.polyline), summary_polyline: orNull(map.summary_polyline) } : null,
    },
  });
}

export const workouts: Pull = async function* (api, { span }) {
  yield* (await activitiesIn(api, span)).map(workoutOf);
};

const KEYS = 'time,latlng,distance,altitude,velocity_smooth,heartrate,cadence,watts,temp';

/** Each stream after its workout. What was entered by hand has none, and is not asked about. */
export const workoutStreams: Pull = async function* (api, { span, known }) {
  for (const activity of await activitiesIn(api, span)) {
    if (activity.manual === true || known.has(activity.id)) continue;
    const query = { keys: KEYS, key_by_type: 'true' };
    const path = `${ROOT}/activities/${encodeURIComponent(activity.id)}/streams`;
    const streams = await api.find(wire.StravaStreams, path, { query, absent: [404] });
    const columns = streams && columnsOf(streams, startOf(activity).at / 1000);
    if (!columns) continue;
    yield workoutOf(activity);
    yield { kind: 'workout_stream', origin: APP, workoutKey: activity.id, columns };
  }
};

/** Columns of the length of `time`; one of another length is left out, for nobody can say what it belongs to. */
function columnsOf(streams: wire.StravaStreams, from: number): StreamColumns | undefined {
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

export const profile: Pull = async function* (api) {
  const given = await api.read(wire.StravaAthlete, `${ROOT}/athlete`);
  const body = { sex: SEXES[given.sex ?? ''] ?? null };
  yield summaryOf({ resource: 'profile', origin: APP, key: given.id, ...ofNoDay, raw: given, body });
};
