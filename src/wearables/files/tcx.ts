import type { FileHandle } from 'node:fs/promises';
import type { Origin, Reading } from '../readings.ts';
import { isMoment, POINTS_MAX, readingsOf, writtenMoment, type Activity } from './activity.ts';
import { bytesOf } from './bytes.ts';
import { originOfMaker } from './origin.ts';
import { UnreadableFile, type FileReport } from './report.ts';
import { sportNamed } from '../sports.ts';
import { trackOf, type Point } from './track.ts';
import { readXml, type XmlHandler } from './xml.ts';

const LIMIT_BYTES = 64 * 1024 * 1024;
/** Of one workout; and so many workouts. */
const LAPS_MAX = 1000;

/** The workouts of a Training Center file. Read to its end before the first is handed out. */
export async function* readTcx(file: FileHandle, report: FileReport): AsyncGenerator<Reading> {
  const reader = tcxReader(report);
  for await (const _ of readXml(bytesOf(file, { report, limitBytes: LIMIT_BYTES }), reader.handler));
  if (reader.activities.length === 0) report.fault('line 1', 'no workout in it');
  for (const { activity, tell } of reader.activities) yield* readingsOf(activity, tell);
}

interface Lap {
  start: number | null;
  seconds: number;
  meters: number;
  calories: number;
  maxSpeed: number | null;
  averageHr: number | null;
  maxHr: number | null;
}

interface Open {
  readonly line: number;
  readonly sport: string;
  id: string | null;
  notes: string | null;
  laps: Lap[];
  points: Point[];
  maker: string | null;
  unit: string | null;
  versions: string[];
}

type Draft = { -readonly [K in keyof Point]: Point[K] };

const numberOf = (text: string): number | null => {
  const value = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
};

/** The fields of a trackpoint by the path of their element. */
// prettier-ignore
const OF_POINT: Readonly<Record<string, keyof Point>> = {
  'Position/LatitudeDegrees': 'lat', 'Position/LongitudeDegrees': 'lng', 'AltitudeMeters': 'altitude',
  'DistanceMeters': 'distance', 'HeartRateBpm/Value': 'heartrate', 'Cadence': 'cadence',
  'Extensions/TPX/Speed': 'speed', 'Extensions/TPX/Watts': 'power', 'Extensions/TPX/RunCadence': 'cadence',
};

type LapField = Exclude<keyof Lap, 'start'>;

// prettier-ignore
const OF_LAP: Readonly<Record<string, LapField>> = {
  'TotalTimeSeconds': 'seconds', 'DistanceMeters': 'meters', 'MaximumSpeed': 'maxSpeed', 'Calories': 'calories',
  'AverageHeartRateBpm/Value': 'averageHr', 'MaximumHeartRateBpm/Value': 'maxHr',
};

interface TcxReader {
  readonly handler: XmlHandler;
  readonly activities: Told[];
}

interface Told {
  readonly activity: Activity;
  /** Tells what is wrong with it. */
  readonly tell: (reason: string) => void;
}

function tcxReader(report: FileReport): TcxReader {
  const activities: Told[] = [];
  const path: string[] = [];
  let open: Open | null = null;
  let lap: Lap | null = null;
  let point: Draft | null = null;
  let points = 0;
  const below = (name: string) => path.slice(path.lastIndexOf(name) + 1).join('/');

  const closePoint = (draft: Draft, line: number) => {
    points += 1;
    if (points > POINTS_MAX) throw new UnreadableFile(`more than ${POINTS_MAX} points`, `line ${line}`);
    if (isMoment(draft.at)) open?.points.push(draft);
    else report.fault(`line ${line}`, 'a trackpoint without a time');
  };
  const closeActivity = (done: Open) => {
    const tell = (reason: string) => report.fault(`line ${done.line}`, reason);
    const activity = activityOf(done, tell);
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
      } else if (point) takePoint(point, below('Trackpoint'), text);
      else if (name === 'Lap') lap = null;
      else if (lap) takeLap(lap, below('Lap'), text);
      else if (name === 'Activity' && open) {
        closeActivity(open);
        open = null;
      } else if (open) takeActivity(open, below('Activity'), text);
      path.pop();
    },
  };
  return { handler, activities };
}

const newActivity = (sport: string, line: number): Open => ({
  line,
  sport,
  id: null,
  notes: null,
  laps: [],
  points: [],
  maker: null,
  unit: null,
  versions: [],
});

const newLap = (start: string | undefined): Lap => ({
  start: start === undefined ? null : writtenMoment(start),
  seconds: 0,
  meters: 0,
  calories: 0,
  maxSpeed: null,
  averageHr: null,
  maxHr: null,
});

function takePoint(point: Draft, path: string, text: string): void {
  if (path === 'Time') point.at = writtenMoment(text);
  const field = OF_POINT[path];
  if (field) point[field] = numberOf(text) ?? Number.NaN;
}

function takeLap(lap: Lap, path: string, text: string): void {
  const field = OF_LAP[path];
  const value = numberOf(text);
  if (field && value !== null) lap[field] = value;
}

function takeActivity(open: Open, path: string, text: string): void {
  if (path === 'Id') open.id = text;
  else if (path === 'Notes') open.notes = text || null;
  else if (path === 'Creator/Name') open.maker = text || null;
  else if (path === 'Creator/UnitId') open.unit = text;
  else if (path === 'Creator/Version/VersionMajor' || path === 'Creator/Version/VersionMinor') {
    open.versions.push(text);
  }
}

function activityOf(open: Open, tell: (reason: string) => void): Activity | null {
  const track = trackOf(open.points, tell);
  const [first] = track.time;
  const last = track.time.at(-1);
  const started = [
    writtenMoment(open.id ?? ''),
    open.laps[0]?.start ?? Number.NaN,
    (first ?? Number.NaN) * 1000,
  ];
  const start = started.find(isMoment);
  if (start === undefined) return null;
  const seconds = sum(open.laps, 'seconds');
  const origin: Origin = originOfMaker(open.maker, {
    id: open.unit === '0' ? null : open.unit,
    version: open.versions.length === 2 ? open.versions.join('.') : null,
  });
  const meters = sum(open.laps, 'meters');
  return {
    key: `tcx-${start / 1000}`,
    origin,
    sport: sportNamed(open.sport),
    title: open.notes?.slice(0, 200) ?? null,
    start,
    end: Math.max(start, (last ?? 0) * 1000, isMoment(start + seconds * 1000) ? start + seconds * 1000 : 0),
    offset: null,
    totals: {
      movingSeconds: seconds || null,
      distance: meters || null,
      calories: sum(open.laps, 'calories') || null,
      maxSpeed: most(open.laps, 'maxSpeed'),
      maxHr: most(open.laps, 'maxHr'),
      averageHr: averageHrOf(open.laps),
    },
    track: track.time.length > 0 ? track : null,
    samples: true,
  };
}

const sum = (laps: readonly Lap[], field: 'seconds' | 'meters' | 'calories'): number =>
  laps.reduce((all, one) => all + one[field], 0);

const most = (laps: readonly Lap[], field: 'maxSpeed' | 'maxHr'): number | null =>
  laps.reduce<number | null>(
    (all, one) => (one[field] === null ? all : Math.max(all ?? 0, one[field])),
    null,
  );

/** Weighed by how long each lap was. */
function averageHrOf(laps: readonly Lap[]): number | null {
  const told = laps.flatMap(({ averageHr, seconds }) => (averageHr === null ? [] : [{ averageHr, seconds }]));
  const seconds = told.reduce((all, one) => all + one.seconds, 0);
  return seconds === 0 ? null : told.reduce((all, one) => all + one.averageHr * one.seconds, 0) / seconds;
}
