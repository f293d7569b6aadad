import type { Origin, ReceivedObservation, ReceivedReport } from '../../adapters/lab-network/port.ts';
import { DAY } from '../../platform/clock.ts';
import { retoldByAddendum } from './addenda.ts';
import type { Observations } from './same-thing.ts';

/** Observations of one thing, and of one draw. */
interface Draw {
  readonly key: string;
  readonly first: ReceivedObservation;
  readonly all: Observations;
}

/** What was known of a draw with what is told of it now; nothing is told now of a draw that is over. */
export interface Retold {
  readonly before: Observations;
  readonly now: Observations;
}

type When = Pick<ReceivedReport, 'collectedAt' | 'receivedAt' | 'reportedAt'>;

/**
 * Of one thing, what is told now with that which it tells anew. The same measurement of another draw is another one,
 * as the second glucose of a tolerance test is: neither takes the place of the other, and what is told of no known
 * draw stands beside them. A correction may also put right when it was drawn, and what was preliminary may be found
 * at another time: there it has to be one draw alone that can be meant.
 */
export function retoldDraws(before: Observations, now: Observations, when: When): Retold[] {
  const added = retoldByAddendum(before, now);
  if (added) return added.length === 0 ? [] : [{ before: added, now }];
  const isText = isOfLines(before) || isOfLines(now);
  const [known, told] = [drawsOf(before, isText), drawsOf(now, isText)];
  const [onlyKnown] = known.values();
  const [onlyTold] = told.values();
  if (known.size === 1 && told.size === 1 && onlyKnown && onlyTold)
    return isMeant(onlyKnown, onlyTold, { when, isText }) ? [{ before, now }] : [];
  const pairs: Retold[] = [];
  const pair = (one: Draw, other: Draw) => {
    pairs.push({ before: one.all, now: other.all });
    known.delete(one.key);
    told.delete(other.key);
  };
  for (const draw of told.values()) {
    const same = known.get(draw.key);
    if (same) pair(same, draw);
  }
  for (const relation of RELATIONS) {
    for (const draw of told.values()) {
      // Of more nobody could say which one is meant, and it would take long to look.
      if (known.size > CANDIDATES_MAX) break;
      const [meant, ...others] = [...known.values()].filter(
        (one) => relationOf(one, draw, isText) === relation && isMeant(one, draw, { when, isText }),
      );
      if (meant && others.length === 0) pair(meant, draw);
    }
  }
  return [...pairs, ...overtaken([...known.values()], drawsOf(now, isText), isText)];
}

const CANDIDATES_MAX = 200;

function drawsOf(all: Observations, isText: boolean): Map<string, Draw> {
  const draws = new Map<string, Draw & { all: ReceivedObservation[] }>();
  const origins = new Map<Origin | undefined, string>();
  for (const one of all) {
    // Those of one request share what is told of it.
    const origin = origins.get(one.origin) ?? originKey(one.origin);
    origins.set(one.origin, origin);
    const key = `${origin}${momentOf(one, isText)}`;
    const draw = draws.get(key);
    if (draw) draw.all.push(one);
    else draws.set(key, { key, first: one, all: [one] });
  }
  return draws;
}

const originKey = ({ filler, specimen, drawnAt, isDay }: Origin = {}): string =>
  JSON.stringify([filler, specimen, drawnAt?.getTime(), isDay]);

/** Under one request OBX-4 tells several of one code apart, whenever they were observed, and a text is told as a whole. */
function momentOf({ subId, observedAt, origin }: ReceivedObservation, isText: boolean): number | null {
  if (subId !== undefined || isText || observedAt === null) return null;
  // Where the day of the draw stands in for the moment that an observation does not tell.
  const isDay = origin?.isDay === true && +observedAt === origin.drawnAt?.getTime();
  return isDay ? null : observedAt.getTime();
}

/** Several texts of one moment are the lines of one. */
function isOfLines(all: Observations): boolean {
  if (all.length < 2 || !all.every(({ form }) => form === 'text')) return false;
  return drawsOf(all, false).size < all.length;
}

/** Of one draw as far as is told; observed at another time; drawn at another time; another one. */
type Relation = 'same' | 'retimed' | 'redrawn' | 'other';
const RELATIONS = ['same', 'retimed', 'redrawn'] as const;

function relationOf({ first: one }: Draw, { first: other }: Draw, isText: boolean): Relation {
  const [here, there] = [one.origin ?? {}, other.origin ?? {}];
  if (differ(here.filler, there.filler) || differ(here.specimen, there.specimen)) return 'other';
  if (isOtherMoment(here, there)) return 'redrawn';
  const [before, after] = [momentOf(one, isText), momentOf(other, isText)];
  return before === null || after === null || before === after ? 'same' : 'retimed';
}

const differ = (one: unknown, other: unknown): boolean =>
  one !== undefined && other !== undefined && one !== other;

/** By the day where one of them does not tell the hour. */
function isOtherMoment(
  { drawnAt: one, isDay }: Origin,
  { drawnAt: other, isDay: isOtherDay }: Origin,
): boolean {
  if (!one || !other) return false;
  const later = other.getTime() - one.getTime();
  if (isDay === isOtherDay) return later !== 0;
  return isDay ? later < 0 || later >= DAY : later > 0 || later <= -DAY;
}

interface Telling {
  readonly when: When;
  readonly isText: boolean;
}

/** Whether it is this draw that is told of anew. */
function isMeant(known: Draw, told: Draw, { when, isText }: Telling): boolean {
  const relation = relationOf(known, told, isText);
  if (relation === 'same') return true;
  if (relation === 'other') return false;
  if (told.all.every(isCorrection) || isWithdrawal(known, told)) return true;
  return relation === 'retimed' && isToldLater(known, told, when);
}

const isCorrection = ({ status }: ReceivedObservation) => status === 'corrected';
const isPreliminary = ({ status }: ReceivedObservation) => status === 'preliminary';
const isNumber = ({ form }: ReceivedObservation) => form === 'number' || form === 'structured';

/** A value that is taken back names itself. */
const isWithdrawal = (known: Draw, told: Draw): boolean =>
  told.all.every(
    ({ status, value }) => status === 'cancelled' && (value?.trim() ?? '') !== '' && has(known, value),
  );

const has = ({ all }: Draw, value: string | null): boolean => all.some((one) => one.value === value);

/**
 * Of one request, whether what was observed at another time is nevertheless the same: a finding goes on until it is
 * final, and some laboratories give the time of the analysis or of the message in the place of that of the draw.
 */
function isToldLater(known: Draw, told: Draw, when: When): boolean {
  const isOfAnalysis = told.all.every((one) => isAfterDraw(one, when));
  const wasPreliminary = known.all.every(isPreliminary);
  if (wasPreliminary || told.all.every(isPreliminary)) {
    return isOfAnalysis || !told.all.some(isNumber);
  }
  if (told.all.every(({ status }) => status === 'cancelled')) return isOfAnalysis;
  return told.all.every(({ form, value }) =>
    form === 'text' && !isOfAnalysis
      ? value !== null && known.all.every((one) => one.value !== null && isAddedTo(one.value, value))
      : isOfAnalysis && has(known, value),
  );
}

/** The same text with something added; a word that is told twice was found twice. */
const isAddedTo = (before: string, after: string): boolean =>
  after.length > before.length && after.includes(before);

/** Nothing is drawn after it has come to the laboratory, or when it is reported. */
function isAfterDraw({ observedAt, origin }: ReceivedObservation, when: When): boolean {
  if (observedAt === null) return false;
  const drawnAt = origin?.drawnAt ?? when.collectedAt;
  // A moment before the draw is a day that was told without its hour.
  const isUsable = (moment: Date | null): moment is Date =>
    moment !== null && (!drawnAt || moment >= drawnAt);
  return (
    (isUsable(when.receivedAt) && observedAt > when.receivedAt) ||
    (isUsable(when.reportedAt) && observedAt >= when.reportedAt)
  );
}

/** A preliminary finding of which the final report of its request tells nothing was not confirmed. */
function overtaken(left: readonly Draw[], told: ReadonlyMap<string, Draw>, isText: boolean): Retold[] {
  const open = left.filter(({ all }) => all.every((one) => isPreliminary(one) && !isNumber(one)));
  if (open.length === 0 || open.length > CANDIDATES_MAX) return [];
  const final = [...told.values()].filter(({ all }) => !all.some(isPreliminary)).slice(0, CANDIDATES_MAX);
  const isOver = (one: Draw) =>
    final.some((other) => ['same', 'retimed'].includes(relationOf(one, other, isText)));
  return open.filter(isOver).map(({ all }) => ({ before: all, now: [] }));
}
