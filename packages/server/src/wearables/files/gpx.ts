import type { FileHandle } from 'node:fs/promises';
import { type HealthReading, matchSport } from '../../readings/readings.ts';
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
import { createTrack, type TrackPoint, type Track } from './track.ts';
import { readXml, type XmlHandler } from './xml.ts';

const LIMIT_BYTES = 64 * 1024 * 1024;
const TRACKS_MAX = 1000;

/** Reads the recorded tracks of a GPX file, each as a workout. The whole file is parsed before the first is yielded. */
export async function* readGpx(
  file: FileHandle,
  { report, timeZone }: FileContext,
): AsyncGenerator<HealthReading> {
  const pieces = readBytes(file, { report, limitBytes: LIMIT_BYTES });
  const { creator, tracks } = await readTracks(pieces, report);
  if (tracks.length === 0) report.fault('line 1', 'the file contains no track');
  for (const one of tracks) {
    const tell = (reason: string) => report.fault(`line ${one.line}`, reason);
    const activity = toFileWorkout(one, { creator, tell });
    if (!activity) tell('a track without times: planned, not recorded');
    else if (one.timeless > 0) tell(`${one.timeless} points without a time`);
    if (activity) yield* toWorkoutReadings(activity, { tell, timeZone });
  }
}

interface GpxTrack {
  readonly line: number;
  name: string | null;
  type: string | null;
  segments: TrackPoint[][];
  /** The number of points without a valid time, which are not in the segments. */
  timeless: number;
  /** The first offset that its times state. */
  offset: number | null;
}

/** Parses the content of a GPX file. */
async function readTracks(
  pieces: AsyncIterable<Buffer>,
  report: FileReport,
): Promise<{ creator: string | null; tracks: GpxTrack[] }> {
  const reader = createGpxReader(report);
  for await (const _ of readXml(pieces, reader.handler));
  return reader;
}

/** All points of a file as one track: the route of a workout of an Apple Health export. */
export async function readRoute(pieces: AsyncIterable<Buffer>, report: FileReport): Promise<TrackPoint[]> {
  const { tracks } = await readTracks(pieces, report);
  return tracks.flatMap(({ segments }) => segments.flat());
}

/** The fields of a point by element name. Most writers use the same names for extensions. */
// prettier-ignore
const POINT_FIELDS: Readonly<Record<string, keyof TrackPoint>> = {
  ele: 'altitude', hr: 'heartrate', heartrate: 'heartrate', cad: 'cadence', cadence: 'cadence', atemp: 'temperature',
  temp: 'temperature', speed: 'speed', power: 'power', PowerInWatts: 'power', distance: 'distance',
};

type GpxPointDraft = { -readonly [K in keyof TrackPoint]: TrackPoint[K] };

function createGpxReader(report: FileReport) {
  const found: { creator: string | null; tracks: GpxTrack[]; handler: XmlHandler } = {
    creator: null,
    tracks: [],
    handler: { open: () => {}, close: () => {} },
  };
  let track: GpxTrack | null = null;
  let point: GpxPointDraft | null = null;
  let points = 0;
  found.handler = {
    open: (name, attributes, line) => {
      if (name === 'gpx') found.creator = attributes['creator'] ?? null;
      else if (name === 'trk') {
        if (found.tracks.length >= TRACKS_MAX)
          throw new UnreadableFile(`more than ${TRACKS_MAX} tracks`, `line ${line}`);
        track = { line, name: null, type: null, segments: [[]], timeless: 0, offset: null };
        found.tracks.push(track);
      } else if (name === 'trkseg') track?.segments.push([]);
      else if (name === 'trkpt' && track) {
        point = {
          at: Number.NaN,
          lat: parseDegrees(attributes['lat']),
          lng: parseDegrees(attributes['lon']),
        };
      }
    },
    close: (name, text, line) => {
      if (name === 'trkpt' && point) {
        points += 1;
        if (points > POINTS_MAX) throw new UnreadableFile(`more than ${POINTS_MAX} points`, `line ${line}`);
        if (point.lat === null || point.lng === null)
          report.fault(`line ${line}`, 'a point without a valid position');
        else if (isPlausibleTimestamp(point.at)) track?.segments.at(-1)?.push(point);
        else if (track) track.timeless += 1;
        point = null;
      } else if (point) {
        setPointField(point, name, text);
        if (track && name === 'time') track.offset ??= parseXmlOffset(text);
      } else if (name === 'trk') track = null;
      else if (track && name === 'name') track.name = text || null;
      else if (track && name === 'type') track.type = text || null;
    },
  };
  return found;
}

function parseDegrees(text: string | undefined): number | null {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) && Math.abs(value) <= 180 ? value : null;
}

function setPointField(point: GpxPointDraft, name: string, text: string): void {
  if (name === 'time') point.at = parseXmlTimestamp(text);
  const field = POINT_FIELDS[name];
  if (field && text !== '') point[field] = Number(text);
}

interface GpxContext {
  readonly creator: string | null;
  readonly tell: (reason: string) => void;
}

function toFileWorkout(
  { name, type, segments, offset }: GpxTrack,
  { creator, tell }: GpxContext,
): FileWorkout | null {
  const { points, route, meters, back } = orderPoints(segments);
  const track: Track = createTrack(points, tell);
  const [first] = track.time;
  const last = track.time.at(-1);
  if (first === undefined || last === undefined) return null;
  if (back > 0) tell(`${back} points whose time goes back count for the distance and the map only`);
  return {
    key: `gpx-${first}`,
    origin: originOfManufacturer(creator, { id: null, version: null }),
    sport: matchSport(/strava/i.test(creator ?? '') ? STRAVA_SPORTS[type ?? ''] : null, type, name),
    title: name?.slice(0, 200) ?? null,
    start: first * 1000,
    end: last * 1000,
    offset,
    totals: { distance: meters },
    track,
    route,
    emitSamples: true,
  };
}

/** Strava's names of sports by the numbers that its exports have instead. */
const STRAVA_SPORTS: Readonly<Record<string, string>> = {
  '1': 'Ride',
  '2': 'AlpineSki',
  '3': 'BackcountrySki',
  '4': 'Hike',
  '5': 'IceSkate',
  '6': 'InlineSkate',
  '7': 'NordicSki',
  '8': 'RollerSki',
  '9': 'Run',
  '10': 'Walk',
  '11': 'Workout',
  '12': 'Snowboard',
  '13': 'Snowshoe',
  '14': 'Kitesurf',
  '15': 'Windsurf',
  '16': 'Swim',
  '17': 'VirtualRide',
  '18': 'EBikeRide',
  '19': 'Velomobile',
  '21': 'Canoeing',
  '22': 'Kayaking',
  '23': 'Rowing',
  '24': 'StandUpPaddling',
  '25': 'Surfing',
  '26': 'Crossfit',
  '27': 'Elliptical',
  '28': 'RockClimbing',
  '29': 'StairStepper',
  '30': 'WeightTraining',
  '31': 'Yoga',
  '51': 'Handcycle',
  '52': 'Wheelchair',
  '53': 'VirtualRun',
};
