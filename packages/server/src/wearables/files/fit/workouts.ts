import { type ReadingOrigin, matchSport } from '../../../readings/readings.ts';
import { isPlausibleTimestamp, type FileWorkout } from '../file-workout.ts';
import type { FileReport } from '../report.ts';
import { createTrack, type TrackPoint } from '../track.ts';
import { formatPosition, type FitSegment } from './chain.ts';
import {
  getTimestamp,
  getNumber,
  getOffset,
  getText,
  type FitMessage,
  type FitMessages,
} from './messages.ts';
import { createFitKey } from './origin.ts';
import { splitBySession, type FitSession } from './sessions.ts';

/** A circle is 2^32 semicircles. */
const DEGREES_PER_SEMICIRCLE = 180 / 2 ** 31;

/** The session between two sports of a multisport workout. */
const TRANSITION = 'transition';

const SESSIONS_MAX = 50;

export interface FitFile {
  readonly part: FitSegment;
  readonly messages: FitMessages;
  readonly origin: ReadingOrigin;
  readonly report: FileReport;
}

/** The sessions of an activity file, each as a workout with its part of the records. */
export function readWorkouts(file: FitFile): FileWorkout[] {
  const { messages, part, report } = file;
  const offset = getOffset(messages('activityMesgs')[0]);
  const points = messages('recordMesgs').flatMap(toPoint);
  const without = messages('recordMesgs').length - points.length;
  if (without > 0) report.fault(formatPosition(part.byte), `${without} records without a time`);
  const stated = messages('sessionMesgs').slice(0, SESSIONS_MAX);
  if (stated.length === 0 && points.length > 0) return [toUnfinishedWorkout(file, { points, offset })];
  const { sessions, timeless, late, outside } = splitBySession(stated, points);
  const tell = createFaultReporter(file);
  for (let count = 0; count < timeless; count += 1) tell('a session without a time');
  if (late > 0) tell(`${late} records after the stated end of their session were kept`);
  if (outside > 0) tell(`${outside} records outside of every session were left out`);
  return sessions
    .filter(({ session }) => session['sport'] !== TRANSITION || stated.length === 1)
    .map((one) => toFileWorkout(file, one, offset));
}

function toPoint(record: FitMessage): TrackPoint[] {
  const at = getTimestamp(record, 'timestamp');
  if (at === null || !isPlausibleTimestamp(at)) return [];
  const degrees = (name: string) => {
    const semicircles = getNumber(record, name);
    return semicircles === null ? null : semicircles * DEGREES_PER_SEMICIRCLE;
  };
  const turns = getNumber(record, 'cadence');
  return [
    {
      at,
      lat: degrees('positionLat'),
      lng: degrees('positionLong'),
      altitude: getNumber(record, 'enhancedAltitude', 'altitude'),
      heartrate: getNumber(record, 'heartRate'),
      cadence: turns === null ? null : turns + (getNumber(record, 'fractionalCadence') ?? 0),
      power: getNumber(record, 'power'),
      temperature: getNumber(record, 'temperature'),
      distance: getNumber(record, 'distance'),
      speed: getNumber(record, 'enhancedSpeed', 'speed'),
      resistance: getNumber(record, 'resistance'),
    },
  ];
}

interface FitRecording {
  readonly points: readonly TrackPoint[];
  readonly offset: number | null;
}

function toFileWorkout(
  file: FitFile,
  { session, start, end, points }: FitSession,
  offset: number | null,
): FileWorkout {
  return {
    key: createFitKey(file.messages, file.origin, start),
    origin: file.origin,
    sport: matchSport(...getSportWords(session)),
    title: getText(session, 'sportProfileName'),
    start,
    end,
    offset,
    totals: toTotals(session),
    track: points.length > 0 ? createTrack(points, createFaultReporter(file)) : null,
    emitSamples: true,
  };
}

/** Reports faults of a segment at its first byte, because no finer position is known. */
export const createFaultReporter =
  ({ part, report }: FitFile) =>
  (reason: string) =>
    report.fault(formatPosition(part.byte), reason);

/** Most specific first. Some sub-sports are meaningful only together with the sport. */
function getSportWords(session: FitMessage): string[] {
  const sport = getText(session, 'sport') ?? '';
  const finer = getText(session, 'subSport') ?? '';
  return [SPORTS_BY_SUB_SPORT[`${sport}/${finer}`] ?? '', finer === 'generic' ? '' : finer, sport];
}

// prettier-ignore
const SPORTS_BY_SUB_SPORT: Readonly<Record<string, string>> = {
  'running/treadmill': 'treadmill_running', 'running/indoorRunning': 'treadmill_running',
  'running/trail': 'trail_running', 'running/track': 'track_running', 'running/street': 'running',
  'running/virtualActivity': 'treadmill_running', 'cycling/mountain': 'mountain_biking',
  'cycling/gravelCycling': 'gravel_cycling', 'cycling/road': 'cycling', 'cycling/handCycling': 'hand_cycling',
  'cycling/indoorCycling': 'indoor_cycling', 'cycling/spin': 'indoor_cycling',
  'cycling/virtualActivity': 'indoor_cycling', 'cycling/trackCycling': 'cycling', 'walking/treadmill': 'walking',
  'walking/indoorWalking': 'walking', 'hiking/trail': 'hiking', 'rowing/indoorRowing': 'indoor_rowing',
  'fitnessEquipment/indoorRowing': 'indoor_rowing', 'swimming/openWater': 'open_water_swimming',
  'swimming/lapSwimming': 'lap_swimming', 'alpineSkiing/backcountry': 'backcountry_skiing',
};

const toTotals = (session: FitMessage): FileWorkout['totals'] => ({
  movingSeconds: getNumber(session, 'totalMovingTime', 'totalTimerTime'),
  averageHr: getNumber(session, 'avgHeartRate'),
  maxHr: getNumber(session, 'maxHeartRate'),
  distance: getNumber(session, 'totalDistance'),
  calories: getNumber(session, 'totalCalories'),
  climb: getNumber(session, 'totalAscent'),
  highest: getNumber(session, 'enhancedMaxAltitude', 'maxAltitude'),
  lowest: getNumber(session, 'enhancedMinAltitude', 'minAltitude'),
  averageSpeed: getNumber(session, 'enhancedAvgSpeed', 'avgSpeed'),
  maxSpeed: getNumber(session, 'enhancedMaxSpeed', 'maxSpeed'),
  averageWatts: getNumber(session, 'avgPower'),
  maxWatts: getNumber(session, 'maxPower'),
  normalizedWatts: getNumber(session, 'normalizedPower'),
  steps: getSteps(session),
});

/** One stride is two steps. */
function getSteps(session: FitMessage): number | null {
  const strides = getNumber(session, 'totalStrides');
  return strides === null ? null : 2 * strides;
}

/** A device that was switched off during a workout wrote no session: derive the workout from the records. */
function toUnfinishedWorkout(file: FitFile, { points, offset }: FitRecording): FileWorkout {
  const { messages, origin } = file;
  const track = createTrack(points, createFaultReporter(file));
  const start = (track.time[0] ?? 0) * 1000;
  return {
    key: createFitKey(messages, origin, start),
    origin,
    sport: matchSport(
      getText(messages('sportMesgs')[0], 'subSport'),
      getText(messages('sportMesgs')[0], 'sport'),
    ),
    title: null,
    start,
    end: (track.time.at(-1) ?? 0) * 1000,
    offset,
    totals: {},
    track,
    emitSamples: true,
  };
}
