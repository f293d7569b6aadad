import { gpxRun, START, tcxRun } from '../wearable-files.ts';

/** Small TCX and GPX files, each named by the story that it tells. */

const stamp = (second: number): string => new Date(START + second * 1000).toISOString();

/** The bulk export of Strava writes ten blanks before the declaration. */
export const tcxOfBulkExport = (): string => `          ${tcxRun()}`;

export const tcxAfterEmptyLines = (): string => `\ufeff\r\n\r\n  ${tcxRun()}`;

/** The Id is when the workout was planned; the lap began half an hour later. */
export const tcxWithOlderId = (): string => tcxRun().replace(/<Id>[^<]*/, `<Id>${stamp(-1800)}`);

interface GpxPoint {
  /** Seconds after the start. */
  readonly second: number;
  /** Meters north of the start. */
  readonly meters: number;
}

const METERS_PER_DEGREE = 111_195;

/** A GPX file with these segments, on a straight line to the north. */
const gpxOf = (
  segments: readonly (readonly GpxPoint[])[],
  { creator = 'StravaGPX', type = 'running' } = {},
): string => `<?xml version="1.0" encoding="UTF-8"?>
<gpx creator="${creator}" version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>Out</name><type>${type}</type>
${segments.map((points) => `<trkseg>${points.map(toPoint).join('\n')}</trkseg>`).join('\n')}
</trk></gpx>`;

const toPoint = ({ second, meters }: GpxPoint): string =>
  `<trkpt lat="${52 + meters / METERS_PER_DEGREE}" lon="13.4"><time>${stamp(second)}</time></trkpt>`;

/** One point every ten seconds, each thirty meters after the other. */
const straight = (count: number, { second = 0, meters = 0 } = {}): GpxPoint[] =>
  Array.from({ length: count }, (_, index) => ({ second: second + index * 10, meters: meters + index * 30 }));

/** After a kilometer the clock was put back by five minutes. */
export const gpxWithClockPutBack = (): string =>
  gpxOf([[...straight(35), ...straight(36, { second: 45, meters: 1050 })]]);

/** The second half of the run is the first segment. */
export const gpxWithSwappedSegments = (): string =>
  gpxOf([straight(36, { second: 350, meters: 1050 }), straight(35)]);

/** A run, a drive of ten kilometers in a new segment's pause, and a second run. */
export const gpxWithDriveInPause = (): string =>
  gpxOf([straight(35), straight(36, { second: 1550, meters: 11_020 })]);

export const gpxOfStravaType = (type: string): string => gpxRun().replace('<type>running', `<type>${type}`);
