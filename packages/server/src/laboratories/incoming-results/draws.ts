import type {
  ObservationOrigin,
  ReceivedObservation,
  ReceivedReport,
} from '../../adapters/lab-network/port.ts';
import { DAY } from '../../platform/clock.ts';
import { findObservationsRestatedByAddendum } from './addenda.ts';
import type { ReceivedObservations } from './observation-key.ts';

/** Observations with one key and of one draw. */
interface ObservedDraw {
  readonly key: string;
  readonly first: ReceivedObservation;
  readonly all: ReceivedObservations;
}

/** Known observations of a draw with those that replace them; `now` is empty for a superseded draw. */
export interface RestatedDraw {
  readonly before: ReceivedObservations;
  readonly now: ReceivedObservations;
}

type ReportTimestamps = Pick<ReceivedReport, 'collectedAt' | 'receivedAt' | 'reportedAt'>;

/**
 * Pairs the new observations of one key with the known observations that they replace. Measurements of different draws,
 * such as the second glucose of a tolerance test, do not replace each other, and observations of an unknown draw are
 * additional. A correction may change the draw time, and a preliminary finding may be observed at another time: then
 * they are paired only if exactly one draw can be meant.
 */
export function matchRestatedDraws(
  before: ReceivedObservations,
  now: ReceivedObservations,
  when: ReportTimestamps,
): RestatedDraw[] {
  const added = findObservationsRestatedByAddendum(before, now);
  if (added) return added.length === 0 ? [] : [{ before: added, now }];
  const isText = isMultilineText(before) || isMultilineText(now);
  const [known, told] = [groupByDraw(before, isText), groupByDraw(now, isText)];
  const [onlyKnown] = known.values();
  const [onlyTold] = told.values();
  if (known.size === 1 && told.size === 1 && onlyKnown && onlyTold)
    return isRestatementOf(onlyKnown, onlyTold, { when, isText }) ? [{ before, now }] : [];
  const pairs: RestatedDraw[] = [];
  const pair = (one: ObservedDraw, other: ObservedDraw) => {
    pairs.push({ before: one.all, now: other.all });
    known.delete(one.key);
    told.delete(other.key);
  };
  for (const draw of told.values()) {
    const same = known.get(draw.key);
    if (same) pair(same, draw);
  }
  for (const relation of MATCHING_RELATIONS) {
    for (const draw of told.values()) {
      // Too many draws: the match would be ambiguous, and the search quadratic.
      if (known.size > CANDIDATES_MAX) break;
      const [meant, ...others] = [...known.values()].filter(
        (one) => compareDraws(one, draw, isText) === relation && isRestatementOf(one, draw, { when, isText }),
      );
      if (meant && others.length === 0) pair(meant, draw);
    }
  }
  return [...pairs, ...findSuperseded([...known.values()], groupByDraw(now, isText), isText)];
}

const CANDIDATES_MAX = 200;

function groupByDraw(all: ReceivedObservations, isText: boolean): Map<string, ObservedDraw> {
  const draws = new Map<string, ObservedDraw & { all: ReceivedObservation[] }>();
  const origins = new Map<ObservationOrigin | undefined, string>();
  for (const one of all) {
    // Observations of one request share their origin object.
    const origin = origins.get(one.origin) ?? toOriginKey(one.origin);
    origins.set(one.origin, origin);
    const key = `${origin}${getObservationTime(one, isText)}`;
    const draw = draws.get(key);
    if (draw) draw.all.push(one);
    else draws.set(key, { key, first: one, all: [one] });
  }
  return draws;
}

const toOriginKey = ({ filler, specimen, drawnAt, isDay }: ObservationOrigin = {}): string =>
  JSON.stringify([filler, specimen, drawnAt?.getTime(), isDay]);

/** Whether the two are of one draw as far as known. */
export const isSameOrigin = (one: ObservationOrigin = {}, other: ObservationOrigin = {}): boolean =>
  !isDifferentRequest(one, other) && !isDifferentDrawTime(one, other);

export const isDifferentRequest = (one: ObservationOrigin = {}, other: ObservationOrigin = {}): boolean =>
  areConflicting(one.filler, other.filler) || areConflicting(one.specimen, other.specimen);

/** Null with a sub-id (OBX-4), which distinguishes observations of one code, and for texts, which are one unit. */
function getObservationTime(
  { subId, observedAt, origin }: ReceivedObservation,
  isText: boolean,
): number | null {
  if (subId !== undefined || isText || observedAt === null) return null;
  // The day of the draw was substituted for a missing observation time.
  const isDay = origin?.isDay === true && +observedAt === origin.drawnAt?.getTime();
  return isDay ? null : observedAt.getTime();
}

/** Several text observations with one timestamp are the lines of one text. */
function isMultilineText(all: ReceivedObservations): boolean {
  if (all.length < 2 || !all.every(({ form }) => form === 'text')) return false;
  return groupByDraw(all, false).size < all.length;
}

/** `same` draw as far as known; `retimed`: observed at another time; `redrawn`: drawn at another time. */
type DrawRelation = 'same' | 'retimed' | 'redrawn' | 'other';
const MATCHING_RELATIONS = ['same', 'retimed', 'redrawn'] as const;

function compareDraws(
  { first: one }: ObservedDraw,
  { first: other }: ObservedDraw,
  isText: boolean,
): DrawRelation {
  const [here, there] = [one.origin ?? {}, other.origin ?? {}];
  if (isDifferentRequest(here, there)) return 'other';
  if (isDifferentDrawTime(here, there)) return 'redrawn';
  const [before, after] = [getObservationTime(one, isText), getObservationTime(other, isText)];
  return before === null || after === null || before === after ? 'same' : 'retimed';
}

const areConflicting = (one: unknown, other: unknown): boolean =>
  one !== undefined && other !== undefined && one !== other;

/** Compares days if one of them has no time of day. */
function isDifferentDrawTime(
  { drawnAt: one, isDay }: ObservationOrigin,
  { drawnAt: other, isDay: isOtherDay }: ObservationOrigin,
): boolean {
  if (!one || !other) return false;
  const later = other.getTime() - one.getTime();
  if (isDay === isOtherDay) return later !== 0;
  return isDay ? later < 0 || later >= DAY : later > 0 || later <= -DAY;
}

interface DrawMatchContext {
  readonly when: ReportTimestamps;
  readonly isText: boolean;
}

/** Whether the new draw restates the known one. */
function isRestatementOf(
  known: ObservedDraw,
  told: ObservedDraw,
  { when, isText }: DrawMatchContext,
): boolean {
  const relation = compareDraws(known, told, isText);
  if (relation === 'same') return true;
  if (relation === 'other') return false;
  if (told.all.every(isCorrection) || isWithdrawal(known, told)) return true;
  return relation === 'retimed' && isLaterRestatement(known, told, when);
}

const isCorrection = ({ status }: ReceivedObservation) => status === 'corrected';
const isPreliminary = ({ status }: ReceivedObservation) => status === 'preliminary';
const isNumber = ({ form }: ReceivedObservation) => form === 'number' || form === 'structured';

/** A cancellation that repeats the cancelled value. */
const isWithdrawal = (known: ObservedDraw, told: ObservedDraw): boolean =>
  told.all.every(
    ({ status, value }) => status === 'cancelled' && (value?.trim() ?? '') !== '' && hasValue(known, value),
  );

const hasValue = ({ all }: ObservedDraw, value: string | null): boolean =>
  all.some((one) => one.value === value);

/**
 * Whether observations of one request with different times are the same. A finding may change until it is final, and
 * some laboratories send the time of the analysis or of the message instead of the draw time.
 */
function isLaterRestatement(known: ObservedDraw, told: ObservedDraw, when: ReportTimestamps): boolean {
  const isOfAnalysis = told.all.every((one) => isAfterDraw(one, when));
  const wasPreliminary = known.all.every(isPreliminary);
  if (wasPreliminary || told.all.every(isPreliminary)) {
    return isOfAnalysis || !told.all.some(isNumber);
  }
  if (told.all.every(({ status }) => status === 'cancelled')) return isOfAnalysis;
  return told.all.every(({ form, value }) =>
    form === 'text' && !isOfAnalysis
      ? value !== null && known.all.every((one) => one.value !== null && isExtendedText(one.value, value))
      : isOfAnalysis && hasValue(known, value),
  );
}

/** The same text with an addition; equal texts are two findings. */
const isExtendedText = (before: string, after: string): boolean =>
  after.length > before.length && after.includes(before);

/** A time after the receipt at the laboratory, or at or after the report, cannot be a draw time. */
function isAfterDraw({ observedAt, origin }: ReceivedObservation, when: ReportTimestamps): boolean {
  if (observedAt === null) return false;
  const drawnAt = origin?.drawnAt ?? when.collectedAt;
  // A timestamp before the draw is a date without a time of day.
  const isUsable = (moment: Date | null): moment is Date =>
    moment !== null && (!drawnAt || moment >= drawnAt);
  return (
    (isUsable(when.receivedAt) && observedAt > when.receivedAt) ||
    (isUsable(when.reportedAt) && observedAt >= when.reportedAt)
  );
}

/** A preliminary finding that the final report of its request does not repeat was not confirmed. */
function findSuperseded(
  left: readonly ObservedDraw[],
  told: ReadonlyMap<string, ObservedDraw>,
  isText: boolean,
): RestatedDraw[] {
  const open = left.filter(({ all }) => all.every((one) => isPreliminary(one) && !isNumber(one)));
  if (open.length === 0 || open.length > CANDIDATES_MAX) return [];
  const final = [...told.values()].filter(({ all }) => !all.some(isPreliminary)).slice(0, CANDIDATES_MAX);
  const isOver = (one: ObservedDraw) =>
    final.some((other) => ['same', 'retimed'].includes(compareDraws(one, other, isText)));
  return open.filter(isOver).map(({ all }) => ({ before: all, now: [] }));
}
