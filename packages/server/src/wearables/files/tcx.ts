import type { FileHandle } from 'node:fs/promises';
import { type ReadingOrigin, type HealthReading, matchSport } from '../../readings/readings.ts';
import {
  isPlausibleTimestamp,
  POINTS_MAX,
  toWorkoutReadings,
  parseXmlOffset,
  parseXmlTimestamp,
  type FileWorkout,
} from './file-workout.ts';
import { readBytes } from './bytes.ts';
import { orderPoints } from './file-order.ts';
import { originOfManufacturer } from './origin.ts';
import { UnreadableFile, type FileContext, type FileReport } from './report.ts';
import { createTrack, type TrackPoint } from './track.ts';
import { readXml, type XmlHandler } from './xml.ts';

const LIMIT_BYTES = 64 * 1024 * 1024;
/** The maximum number of laps of a workout, and of workouts of a file. */
const LAPS_MAX = 1000;

/** Reads the workouts of a Training Center file. The whole file is parsed before the first is yielded. */
export async function* readTcx(
  file: FileHandle,
  { report, timeZone }: FileContext,
): AsyncGenerator<HealthReading> {
  const reader = createTcxReader(report);
  for await (const _ of readXml(readBytes(file, { report, limitBytes: LIMIT_BYTES }), reader.handler));
  if (reader.activities.length === 0) report.fault('line 1', 'the file contains no workout');
  for (const { activity, tell } of reader.activities) yield* toWorkoutReadings(activity, { tell, timeZone });
}

interface TcxLap {
  start: number | null;
  offset: number | null;
  seconds: number;
  meters: number;
  calories: number;
  maxSpeed: number | null;
  averageHr: number | null;
  maxHr: number | null;
}

interface TcxActivityDraft {
  readonly line: number;
  readonly sport: string;
  id: string | null;
  notes: string | null;
  laps: TcxLap[];
  points: TrackPoint[];
  maker: string | null;
  unit: string | null;
  versions: string[];
  /** The first offset that its points state. */
  offset: number | null;
}

type TcxPointDraft = { -readonly [K in keyof TrackPoint]: TrackPoint[K] };

const parseNumber = (text: string): number | null => {
  const value = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
};

/** The fields of a trackpoint by element path. */
// prettier-ignore
const POINT_FIELDS: Readonly<Record<string, keyof TrackPoint>> = {
  'Position/LatitudeDegrees': 'lat', 'Position/LongitudeDegrees': 'lng', 'AltitudeMeters': 'altitude',
  'DistanceMeters': 'distance', 'HeartRateBpm/Value': 'heartrate', 'Cadence': 'cadence',
  'Extensions/TPX/Speed': 'speed', 'Extensions/TPX/Watts': 'power', 'Extensions/TPX/RunCadence': 'cadence',
};

type TcxLapField = Exclude<keyof TcxLap, 'start' | 'offset'>;

// prettier-ignore
const LAP_FIELDS: Readonly<Record<string, TcxLapField>> = {
  'TotalTimeSeconds': 'seconds', 'DistanceMeters': 'meters', 'MaximumSpeed': 'maxSpeed', 'Calories': 'calories',
  'AverageHeartRateBpm/Value': 'averageHr', 'MaximumHeartRateBpm/Value': 'maxHr',
};

interface TcxReader {
  readonly handler: XmlHandler;
  readonly activities: TcxWorkout[];
}

interface TcxWorkout {
  readonly activity: FileWorkout;
  /** Reports a fault of the workout. */
  readonly tell: (reason: string) => void;
}

function createTcxReader(report: FileReport): TcxReader {
  const activities: TcxWorkout[] = [];
  const path: string[] = [];
  let open: TcxActivityDraft | null = null;
  let lap: TcxLap | null = null;
  let point: TcxPointDraft | null = null;
  let points = 0;
  const below = (name: string) => path.slice(path.lastIndexOf(name) + 1).join('/');

  const closePoint = (draft: TcxPointDraft, line: number) => {
    points += 1;
    if (points > POINTS_MAX) throw new UnreadableFile(`more than ${POINTS_MAX} points`, `line ${line}`);
    if (isPlausibleTimestamp(draft.at)) open?.points.push(draft);
    else report.fault(`line ${line}`, 'a trackpoint without a time');
  };
  const closeActivity = (done: TcxActivityDraft) => {
    const tell = (reason: string) => report.fault(`line ${done.line}`, reason);
    const activity = toFileWorkout(done, tell);
    if (activities.length >= LAPS_MAX)
      throw new UnreadableFile(`more than ${LAPS_MAX} workouts`, `line ${done.line}`);
    if (activity) activities.push({ activity, tell });
    else tell('a workout without a time');
  };

  const handler: XmlHandler = {
    open: (name, attributes, line) => {
      path.push(name);
      if (name === 'Activity') open = newActivity(attributes['Sport'] ?? '', line);
      else if (name === 'Lap' && open) {
        lap = newLap(attributes['StartTime']);
        if (open.laps.push(lap) > LAPS_MAX)
          throw new UnreadableFile(`more than ${LAPS_MAX} laps`, `line ${line}`);
      } else if (name === 'Trackpoint' && open) point = { at: Number.NaN };
    },
    close: (name, text, line) => {
      if (name === 'Trackpoint' && point) {
        closePoint(point, line);
        point = null;
      } else if (point) setPointField({ point, open }, below('Trackpoint'), text);
      else if (name === 'Lap') lap = null;
      else if (lap) setLapField(lap, below('Lap'), text);
      else if (name === 'Activity' && open) {
        closeActivity(open);
        open = null;
      } else if (open) setActivityField(open, below('Activity'), text);
      path.pop();
    },
  };
  return { handler, activities };
}

const newActivity = (sport: string, line: number): TcxActivityDraft => ({
  line,
  sport,
  id: null,
  notes: null,
  laps: [],
  points: [],
  maker: null,
  unit: null,
  versions: [],
  offset: null,
});

const newLap = (start: string | undefined): TcxLap => ({
  start: start === undefined ? null : parseXmlTimestamp(start),
  offset: parseXmlOffset(start ?? ''),
  seconds: 0,
  meters: 0,
  calories: 0,
  maxSpeed: null,
  averageHr: null,
  maxHr: null,
});

interface OpenTcxPoint {
  readonly point: TcxPointDraft;
  readonly open: TcxActivityDraft | null;
}

function setPointField({ point, open }: OpenTcxPoint, path: string, text: string): void {
  if (path === 'Time') point.at = parseXmlTimestamp(text);
  if (path === 'Time' && open) open.offset ??= parseXmlOffset(text);
  const field = POINT_FIELDS[path];
  if (field) point[field] = parseNumber(text) ?? Number.NaN;
}

function setLapField(lap: TcxLap, path: string, text: string): void {
  const field = LAP_FIELDS[path];
  const value = parseNumber(text);
  if (field && value !== null) lap[field] = value;
}

function setActivityField(open: TcxActivityDraft, path: string, text: string): void {
  if (path === 'Id') open.id = text;
  else if (path === 'Notes') open.notes = text || null;
  else if (path === 'Creator/Name') open.maker = text || null;
  else if (path === 'Creator/UnitId') open.unit = text;
  else if (path === 'Creator/Version/VersionMajor' || path === 'Creator/Version/VersionMinor') {
    open.versions.push(text);
  }
}

function toFileWorkout(open: TcxActivityDraft, tell: (reason: string) => void): FileWorkout | null {
  const { points, route, meters: routeMeters, back } = orderPoints([open.points]);
  if (back > 0) tell(`${back} points whose time goes back count for the distance and the map only`);
  const track = createTrack(points, tell);
  const [first] = track.time;
  const last = track.time.at(-1);
  const id = parseXmlTimestamp(open.id ?? '');
  // The Id names the workout, and may be when it was planned or saved.
  const started = [open.laps[0]?.start ?? Number.NaN, (first ?? Number.NaN) * 1000, id];
  const start = started.find(isPlausibleTimestamp);
  if (start === undefined) return null;
  const seconds = sumField(open.laps, 'seconds');
  const origin: ReadingOrigin = originOfManufacturer(open.maker, {
    id: open.unit === '0' ? null : open.unit,
    version: open.versions.length === 2 ? open.versions.join('.') : null,
  });
  const meters = sumField(open.laps, 'meters');
  return {
    key: `tcx-${(isPlausibleTimestamp(id) ? id : start) / 1000}`,
    origin,
    sport: matchSport(open.sport),
    title: open.notes?.slice(0, 200) ?? null,
    start,
    end: Math.max(
      start,
      (last ?? 0) * 1000,
      isPlausibleTimestamp(start + seconds * 1000) ? start + seconds * 1000 : 0,
    ),
    offset: open.offset ?? open.laps[0]?.offset ?? null,
    totals: {
      movingSeconds: seconds || null,
      distance: meters || routeMeters,
      calories: sumField(open.laps, 'calories') || null,
      maxSpeed: maxField(open.laps, 'maxSpeed'),
      maxHr: maxField(open.laps, 'maxHr'),
      averageHr: averageHeartRate(open.laps),
    },
    track: track.time.length > 0 ? track : null,
    route,
    emitSamples: true,
  };
}

const sumField = (laps: readonly TcxLap[], field: 'seconds' | 'meters' | 'calories'): number =>
  laps.reduce((all, one) => all + one[field], 0);

const maxField = (laps: readonly TcxLap[], field: 'maxSpeed' | 'maxHr'): number | null =>
  laps.reduce<number | null>(
    (all, one) => (one[field] === null ? all : Math.max(all ?? 0, one[field])),
    null,
  );

/** Weighted by the duration of the laps. */
function averageHeartRate(laps: readonly TcxLap[]): number | null {
  const told = laps.flatMap(({ averageHr, seconds }) => (averageHr === null ? [] : [{ averageHr, seconds }]));
  const seconds = told.reduce((all, one) => all + one.seconds, 0);
  return seconds === 0 ? null : told.reduce((all, one) => all + one.averageHr * one.seconds, 0) / seconds;
}
