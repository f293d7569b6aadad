import type { FileHandle } from 'node:fs/promises';
import type { Reading } from '../readings.ts';
import { isMoment, POINTS_MAX, readingsOf, writtenMoment, type Activity } from './activity.ts';
import { bytesOf } from './bytes.ts';
import { originOfMaker } from './origin.ts';
import { UnreadableFile, type FileReport } from './report.ts';
import { sportNamed } from '../sports.ts';
import { trackOf, type Point, type Track } from './track.ts';
import { readXml, type XmlHandler } from './xml.ts';

const LIMIT_BYTES = 64 * 1024 * 1024;
const TRACKS_MAX = 1000;

/** The tracks of a GPX file that were recorded, each a workout. Read to its end before the first is handed out. */
export async function* readGpx(file: FileHandle, report: FileReport): AsyncGenerator<Reading> {
  const pieces = bytesOf(file, { report, limitBytes: LIMIT_BYTES });
  const { creator, tracks } = await readTracks(pieces, report);
  if (tracks.length === 0) report.fault('line 1', 'no track in it: nothing that was recorded');
  for (const one of tracks) {
    const tell = (reason: string) => report.fault(`line ${one.line}`, reason);
    const activity = activityOf(one, { creator, tell });
    if (!activity) tell('a track without times: it was planned and not recorded');
    else if (one.timeless > 0) tell(`${one.timeless} points without a time`);
    if (activity) yield* readingsOf(activity, tell);
  }
}

interface GpxTrack {
  readonly line: number;
  name: string | null;
  type: string | null;
  points: Point[];
  /** How many other points have no time that there is. */
  timeless: number;
}

/** What stands in a GPX file, from wherever its pieces come. */
export async function readTracks(
  pieces: AsyncIterable<Buffer>,
  report: FileReport,
): Promise<{ creator: string | null; tracks: GpxTrack[] }> {
  const reader = gpxReader(report);
  for await (const _ of readXml(pieces, reader.handler));
  return reader;
}

/** All points of a file as one track: the route of a workout that is told elsewhere. */
export async function readRoute(pieces: AsyncIterable<Buffer>, report: FileReport): Promise<Point[]> {
  const { tracks } = await readTracks(pieces, report);
  return tracks.flatMap(({ points }) => points);
}

/** The fields of a point by their elements; extensions are called the same by nearly all who write them. */
// prettier-ignore
const OF_POINT: Readonly<Record<string, keyof Point>> = {
  ele: 'altitude', hr: 'heartrate', heartrate: 'heartrate', cad: 'cadence', cadence: 'cadence', atemp: 'temperature',
  temp: 'temperature', speed: 'speed', power: 'power', PowerInWatts: 'power', distance: 'distance',
};

type Draft = { -readonly [K in keyof Point]: Point[K] };

function gpxReader(report: FileReport) {
  const found: { creator: string | null; tracks: GpxTrack[]; handler: XmlHandler } = {
    creator: null,
    tracks: [],
    handler: { open: () => {}, close: () => {} },
  };
  let track: GpxTrack | null = null;
  let point: Draft | null = null;
  let points = 0;
  found.handler = {
    open: (name, attributes, line) => {
      if (name === 'gpx') found.creator = attributes['creator'] ?? null;
      else if (name === 'trk') {
        if (found.tracks.length >= TRACKS_MAX)
          throw new UnreadableFile(`more than ${TRACKS_MAX} tracks`, `line ${line}`);
        track = { line, name: null, type: null, points: [], timeless: 0 };
        found.tracks.push(track);
      } else if (name === 'trkpt' && track) {
        point = { at: Number.NaN, lat: degrees(attributes['lat']), lng: degrees(attributes['lon']) };
      }
    },
    close: (name, text, line) => {
      if (name === 'trkpt' && point) {
        points += 1;
        if (points > POINTS_MAX) throw new UnreadableFile(`more than ${POINTS_MAX} points`, `line ${line}`);
        if (point.lat === null || point.lng === null) report.fault(`line ${line}`, 'a point without a place');
        else if (isMoment(point.at)) track?.points.push(point);
        else if (track) track.timeless += 1;
        point = null;
      } else if (point) takePoint(point, name, text);
      else if (name === 'trk') track = null;
      else if (track && name === 'name') track.name = text || null;
      else if (track && name === 'type') track.type = text || null;
    },
  };
  return found;
}

function degrees(text: string | undefined): number | null {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) && Math.abs(value) <= 180 ? value : null;
}

function takePoint(point: Draft, name: string, text: string): void {
  if (name === 'time') point.at = writtenMoment(text);
  const field = OF_POINT[name];
  if (field && text !== '') point[field] = Number(text);
}

interface Around {
  readonly creator: string | null;
  readonly tell: (reason: string) => void;
}

function activityOf({ name, type, points }: GpxTrack, { creator, tell }: Around): Activity | null {
  const track: Track = trackOf(points, tell);
  const [first] = track.time;
  const last = track.time.at(-1);
  if (first === undefined || last === undefined) return null;
  return {
    key: `gpx-${first}`,
    origin: originOfMaker(creator, { id: null, version: null }),
    sport: sportNamed(stravaSport(type) ?? type, name),
    title: name?.slice(0, 200) ?? null,
    start: first * 1000,
    end: last * 1000,
    offset: null,
    totals: {},
    track,
    samples: true,
  };
}

/** Older exports of Strava give a number in place of a word. */
const STRAVA: Readonly<Record<string, string>> = {
  '1': 'cycling',
  '4': 'hiking',
  '9': 'running',
  '10': 'walking',
  '16': 'swimming',
};
const stravaSport = (type: string | null): string | undefined => STRAVA[type ?? ''];
