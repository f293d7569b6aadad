import type { Origin } from '../../readings.ts';
import { isMoment, type Activity } from '../activity.ts';
import type { FileReport } from '../report.ts';
import { sportNamed } from '../../sports.ts';
import { trackOf, type Point } from '../track.ts';
import { place, type FitPart } from './chain.ts';
import { momentIn, numberIn, offsetIn, textIn, type Message, type Messages } from './messages.ts';
import { keyOfFit } from './origin.ts';

/** A circle is 2^32 of them. */
const DEGREES_OF_SEMICIRCLE = 180 / 2 ** 31;

/** What a workout of several sports has between them. */
const TRANSITION = 'transition';

const SESSIONS_MAX = 50;

export interface FitFile {
  readonly part: FitPart;
  readonly messages: Messages;
  readonly origin: Origin;
  readonly report: FileReport;
}

/** The sessions of an activity file, each a workout with its share of the records. */
export function workoutsOf(file: FitFile): Activity[] {
  const { messages, part, report } = file;
  const offset = offsetIn(messages('activityMesgs')[0]);
  const points = messages('recordMesgs').flatMap(pointOf);
  const without = messages('recordMesgs').length - points.length;
  if (without > 0) report.fault(place(part.byte), `${without} records without a time`);
  const sessions = messages('sessionMesgs').slice(0, SESSIONS_MAX);
  if (sessions.length === 0 && points.length > 0) return [unfinished(file, { points, offset })];
  return sessions
    .filter(({ sport }) => sport !== TRANSITION || sessions.length === 1)
    .flatMap((session) => {
      const activity = activityOf(file, { session, points, offset });
      if (!activity) report.fault(place(part.byte), 'a session without a time');
      return activity ? [activity] : [];
    });
}

function pointOf(record: Message): Point[] {
  const at = momentIn(record, 'timestamp');
  if (at === null || !isMoment(at)) return [];
  const degrees = (name: string) => {
    const semicircles = numberIn(record, name);
    return semicircles === null ? null : semicircles * DEGREES_OF_SEMICIRCLE;
  };
  const turns = numberIn(record, 'cadence');
  return [
    {
      at,
      lat: degrees('positionLat'),
      lng: degrees('positionLong'),
      altitude: numberIn(record, 'enhancedAltitude', 'altitude'),
      heartrate: numberIn(record, 'heartRate'),
      cadence: turns === null ? null : turns + (numberIn(record, 'fractionalCadence') ?? 0),
      power: numberIn(record, 'power'),
      temperature: numberIn(record, 'temperature'),
      distance: numberIn(record, 'distance'),
      speed: numberIn(record, 'enhancedSpeed', 'speed'),
      resistance: numberIn(record, 'resistance'),
    },
  ];
}

interface Recorded {
  readonly points: readonly Point[];
  readonly offset: number | null;
}

function activityOf(
  file: FitFile,
  { session, points, offset }: Recorded & { session: Message },
): Activity | null {
  const start = momentIn(session, 'startTime');
  if (start === null || !isMoment(start)) return null;
  const seconds = numberIn(session, 'totalElapsedTime') ?? 0;
  const stopped = momentIn(session, 'timestamp') ?? start;
  const end = Math.max(start + seconds * 1000, stopped, start);
  const own = points.filter(({ at }) => at >= start && at <= end);
  return {
    key: keyOfFit(file.messages, file.origin, start),
    origin: file.origin,
    sport: sportNamed(...sportWords(session)),
    title: textIn(session, 'sportProfileName'),
    start,
    end,
    offset,
    totals: totalsOf(session),
    track: own.length > 0 ? trackOf(fromZero(own), tellingOf(file)) : null,
    samples: true,
  };
}

/** Tells what is wrong in a part of a file, which has no finer place. */
export const tellingOf =
  ({ part, report }: FitFile) =>
  (reason: string) =>
    report.fault(place(part.byte), reason);

/** In a workout of several sports some devices count the meters on from one to the next. */
function fromZero(points: readonly Point[]): readonly Point[] {
  const first = points.find(({ distance }) => typeof distance === 'number')?.distance ?? 0;
  if (first < 1000) return points;
  return points.map((point) =>
    typeof point.distance === 'number' ? { ...point, distance: point.distance - first } : point,
  );
}

/** The finer word first; some mean nothing without the other. */
function sportWords(session: Message): string[] {
  const sport = textIn(session, 'sport') ?? '';
  const finer = textIn(session, 'subSport') ?? '';
  return [FINER[`${sport}/${finer}`] ?? '', finer === 'generic' ? '' : finer, sport];
}

// prettier-ignore
const FINER: Readonly<Record<string, string>> = {
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

const totalsOf = (session: Message): Activity['totals'] => ({
  movingSeconds: numberIn(session, 'totalMovingTime', 'totalTimerTime'),
  averageHr: numberIn(session, 'avgHeartRate'),
  maxHr: numberIn(session, 'maxHeartRate'),
  distance: numberIn(session, 'totalDistance'),
  calories: numberIn(session, 'totalCalories'),
  climb: numberIn(session, 'totalAscent'),
  highest: numberIn(session, 'enhancedMaxAltitude', 'maxAltitude'),
  lowest: numberIn(session, 'enhancedMinAltitude', 'minAltitude'),
  averageSpeed: numberIn(session, 'enhancedAvgSpeed', 'avgSpeed'),
  maxSpeed: numberIn(session, 'enhancedMaxSpeed', 'maxSpeed'),
  averageWatts: numberIn(session, 'avgPower'),
  maxWatts: numberIn(session, 'maxPower'),
  normalizedWatts: numberIn(session, 'normalizedPower'),
  steps: stepsOf(session),
});

/** A stride is two steps. */
function stepsOf(session: Message): number | null {
  const strides = numberIn(session, 'totalStrides');
  return strides === null ? null : 2 * strides;
}

/** A device that was switched off in mid-workout wrote no session: the records tell what they can. */
function unfinished(file: FitFile, { points, offset }: Recorded): Activity {
  const { messages, origin } = file;
  const track = trackOf(points, tellingOf(file));
  const start = (track.time[0] ?? 0) * 1000;
  return {
    key: keyOfFit(messages, origin, start),
    origin,
    sport: sportNamed(
      textIn(messages('sportMesgs')[0], 'subSport'),
      textIn(messages('sportMesgs')[0], 'sport'),
    ),
    title: null,
    start,
    end: (track.time.at(-1) ?? 0) * 1000,
    offset,
    totals: {},
    track,
    samples: true,
  };
}
