import { isPlausibleTimestamp } from '../file-workout.ts';
import type { TrackPoint } from '../track.ts';
import { getNumber, getTimestamp, type FitMessage } from './messages.ts';

/** A session with its own time and its part of the records. */
export interface FitSession {
  readonly session: FitMessage;
  readonly start: number;
  readonly end: number;
  /** In order of time; distances count from the start of the session. */
  readonly points: readonly TrackPoint[];
}

interface FitSessions {
  readonly sessions: readonly FitSession[];
  /** The number of sessions without a time. */
  readonly timeless: number;
  /** The number of records after the end that their session states, up to when it was stopped. */
  readonly late: number;
  /** The number of records that belong to no session. */
  readonly outside: number;
}

/** Elapsed times have a fraction, and the last record may be at the next full second. */
const toNextSecond = (at: number): number => Math.ceil(at / 1000) * 1000;
/** A device that still records after a longer gap was not in a pause: it was asked later whether to save. */
const PAUSE_MAX_MS = 3_600_000;
/** Without an earlier record, a smaller first distance was covered within the session. */
const ODOMETER_METERS = 1000;

/** Assigns records to sessions: by time, because the file does not say it. */
export function splitBySession(
  messages: readonly FitMessage[],
  unordered: readonly TrackPoint[],
): FitSessions {
  const points = unordered.toSorted((one, other) => one.at - other.at);
  const spans = messages
    .flatMap((session, index) => findSpan(session, { points, previous: messages[index - 1] }) ?? [])
    .toSorted((one, other) => one.start - other.start);
  const inside = new Set<TrackPoint>();
  const own = spans.map(({ start, end }) => points.filter(({ at }) => at >= start && at <= end));
  for (const list of own) for (const point of list) inside.add(point);
  let late = 0;
  const sessions = spans.map(({ session, start, end }, index) => {
    const kept = own[index] ?? [];
    const until = Math.max(toNextSecond(end), findStop(session) ?? end);
    const next = spans[index + 1]?.start ?? Infinity;
    let last = Math.max(end, kept.at(-1)?.at ?? start);
    for (const point of points) {
      if (point.at <= end || inside.has(point)) continue;
      if (point.at > until || point.at >= next || point.at > last + PAUSE_MAX_MS) break;
      inside.add(point);
      kept.push(point);
      last = point.at;
      if (point.at > toNextSecond(end)) late += 1;
    }
    const before = points.findLast(({ at, distance }) => at < start && typeof distance === 'number');
    return { session, start, end, points: countFromZero(kept, before?.distance ?? null) };
  });
  return {
    sessions,
    timeless: messages.length - spans.length,
    late,
    outside: points.length - inside.size,
  };
}

/** When the session was stopped or saved. */
function findStop(session: FitMessage | undefined): number | null {
  const at = getTimestamp(session, 'timestamp');
  return at !== null && isPlausibleTimestamp(at) ? at : null;
}

type SessionSpan = Pick<FitSession, 'session' | 'start' | 'end'>;

/** Null if neither the session nor its records say when it was. */
function findSpan(
  session: FitMessage,
  { points, previous }: { points: readonly TrackPoint[]; previous: FitMessage | undefined },
): SessionSpan | null {
  const stated = getTimestamp(session, 'startTime');
  const stop = findStop(session);
  const elapsed = getNumber(session, 'totalElapsedTime');
  const since = findStop(previous) ?? -Infinity;
  const own = points.filter(({ at }) =>
    stated === null ? at > since && at <= (stop ?? Infinity) : at >= stated && at <= (stop ?? stated),
  );
  const hasStart = stated !== null && isPlausibleTimestamp(stated);
  const start = hasStart
    ? stated
    : (own[0]?.at ?? (stop !== null && elapsed !== null ? stop - elapsed * 1000 : null));
  if (start === null || !isPlausibleTimestamp(start)) return null;
  if (elapsed !== null && isPlausibleTimestamp(start + elapsed * 1000))
    return { session, start, end: start + elapsed * 1000 };
  const timer = getNumber(session, 'totalTimerTime');
  const end = own.at(-1)?.at ?? (timer === null ? stop : start + timer * 1000);
  return { session, start, end: Math.max(start, end ?? start) };
}

/**
 * Some devices go on counting the distance of the previous sport. `before` is the last distance before the session. The
 * record at the change of sports may still have it when the device has begun again.
 */
function countFromZero(points: readonly TrackPoint[], before: number | null): readonly TrackPoint[] {
  const counted = points.filter(({ distance }) => typeof distance === 'number');
  const [first = 0, second = first] = counted.map(({ distance }) => distance ?? 0);
  const isStale = before !== null && first >= before && second < first;
  const from = isStale ? second : first;
  const base = before === null ? (from >= ODOMETER_METERS ? from : 0) : from >= before ? before : 0;
  if (base === 0 && !isStale) return points;
  return points.map((point) => {
    if (typeof point.distance !== 'number') return point;
    return { ...point, distance: isStale && point === counted[0] ? null : point.distance - base };
  });
}
