import type { ReceivedObservation, ReceivedReport, TestNote } from '../../adapters/lab-network/port.ts';
import { isPending } from '../../results/results/results.ts';
import { listCancellations } from './cancelled-tests.ts';
import { matchRestatedDraws, type RestatedDraw } from './draws.ts';
import { alignWithLegacyResults, omitLegacyNotes } from './legacy-reports.ts';
import { groupObservations, toObservationKey, type ReceivedObservations } from './observation-key.ts';
import { isRepeatedAfterChange, recordHistory, type ObservationHistories } from './observation-history.ts';
import { reassignToKnownPanels } from './reassign-panels.ts';
import { sortByReportTime } from './sort-reports.ts';

/**
 * Merges all reports of one order into one. Laboratories send panels separately, and often only the corrected value of
 * a correction: observations that a later report does not contain are kept. Reports are sorted by the laboratory's
 * timestamps, so the result does not depend on the order of arrival where these differ. A preliminary value never
 * replaces a final one, and an announced value never replaces any.
 */
export function mergeReports(
  earlier: readonly ReceivedReport[],
  report: ReceivedReport,
): Omit<ReceivedReport, 'status' | 'isPending'> {
  const sorted = sortByReportTime([...earlier, report]);
  const newest = sorted.at(-1) ?? report;
  const director = sorted.findLast((each) => each.director)?.director;
  return {
    ...newest,
    collectedAt: sorted.findLast(({ collectedAt }) => collectedAt)?.collectedAt ?? null,
    receivedAt: sorted.findLast(({ receivedAt }) => receivedAt)?.receivedAt ?? null,
    laboratory: sorted.findLast(({ laboratory }) => laboratory)?.laboratory ?? null,
    clia: sorted.findLast(({ clia }) => clia)?.clia ?? null,
    ...(director === undefined ? {} : { director }),
    observations: mergeObservationsOf(sorted),
    notes: [...new Set(sorted.flatMap(({ notes }) => notes))],
    testNotes: dedupeNotes(omitLegacyNotes(sorted)),
    documents: sorted.flatMap(({ documents = [] }) => documents),
  };
}

const dedupeNotes = (notes: readonly TestNote[]): TestNote[] => [
  ...new Map(
    notes.map((one) => [JSON.stringify([one.test.code, one.test.loinc, one.test.name, one.note]), one]),
  ).values(),
];

function mergeObservationsOf(sorted: readonly ReceivedReport[]): ReceivedObservations {
  const histories: ObservationHistories = new Map();
  let known: ReceivedObservations = [];
  for (const report of sorted) known = mergeObservations(known, report, histories);
  return known;
}

/**
 * Merges a report into the known observations. Replaced observations keep their positions; new ones follow the
 * observation that they follow in the report. The order matters: a drug belongs to the isolate above it.
 */
function mergeObservations(
  known: ReceivedObservations,
  report: ReceivedReport,
  histories: ObservationHistories,
): ReceivedObservations {
  const before = groupObservations(known, toObservationKey);
  const observations = alignWithLegacyResults(report.observations, before);
  const told = reassignToKnownPanels({ observations: known, byKey: before }, { ...report, observations });
  const places = new Map<ReceivedObservation, ReceivedObservation | null>();
  const outranked = new Set<ReceivedObservation>();
  const replaced = new Map<ReceivedObservation, ReceivedObservation[]>();
  for (const [key, now] of groupObservations(told, toObservationKey)) {
    const then = before.get(key);
    if (!then) continue;
    for (const draw of matchRestatedDraws(then, now, report)) {
      if (isOutranked(draw) || isRepeatedAfterChange(draw, report, histories)) {
        for (const one of draw.now) outranked.add(one);
      } else {
        if (isConfirmation(draw.now)) for (const one of draw.now) outranked.add(one);
        for (const [one, successor] of findSuccessors(draw)) {
          places.set(one, successor);
          const by = successor ?? draw.now[0];
          if (by === undefined || by === one) continue;
          const group = replaced.get(by);
          if (group) group.push(one);
          else replaced.set(by, [one]);
        }
      }
    }
  }
  for (const [one, cancellation] of listCancellations(known, report.cancelledTests ?? [])) {
    if (places.has(one)) continue;
    places.set(one, cancellation);
    replaced.set(cancellation, [one]);
  }
  const all = known.flatMap((one) => {
    const successor = places.get(one);
    return successor === undefined ? [one] : successor === null ? [] : [successor];
  });
  return insertNewObservations(
    all,
    told.filter((one) => !outranked.has(one)),
  ).map((one) =>
    histories.has(one) ? one : recordHistory(one, replaced.get(one) ?? [], { report, histories }),
  );
}

function insertNewObservations(all: ReceivedObservations, told: ReceivedObservations): ReceivedObservations {
  const placed = new Set(all);
  const behind = new Map<ReceivedObservation | undefined, ReceivedObservation[]>();
  let last: ReceivedObservation | undefined;
  for (const one of told) {
    if (placed.has(one)) last = one;
    else {
      const group = behind.get(last);
      if (group) group.push(one);
      else behind.set(last, [one]);
    }
  }
  return [...all.flatMap((one) => [one, ...(behind.get(one) ?? [])]), ...(behind.get(undefined) ?? [])];
}

/** The successor of each observation of a draw: null to remove it, itself to keep it. */
function findSuccessors({
  before: then,
  now,
}: RestatedDraw): [ReceivedObservation, ReceivedObservation | null][] {
  const [first] = now;
  const [only] = then;
  if (isConfirmation(now)) return then.map((one) => [one, confirm(one, now)]);
  if (then.length === 1 && now.length === 1 && first && only) return [[only, first]];
  const [thenById, nowById] = [indexBySubId(then), indexBySubId(now)];
  // A drug of one isolate does not affect the same drug of another. The lines of a text are replaced together.
  const isPart = now.every(
    ({ subId, form }) => subId !== undefined && form !== 'text' && thenById.has(subId),
  );
  return then.map((one) => {
    const next = one.subId === undefined ? undefined : nowById.get(one.subId);
    if (next && thenById.get(one.subId ?? '')) return [one, next];
    return [one, next === undefined && isPart && !isPreliminary(one) ? one : null];
  });
}

const isConfirmation = (now: ReceivedObservations): boolean =>
  now.length > 0 && now.every(({ statement }) => statement === 'confirmation');

/** The preliminary value that the laboratory makes final without repeating it. */
function confirm(one: ReceivedObservation, now: ReceivedObservations): ReceivedObservation {
  const isMeant = now.some(({ subId }) => subId === undefined || subId === one.subId);
  return isMeant && isPreliminary(one) && !isPending(one) ? { ...one, status: 'final' } : one;
}

/** Observations by sub-id; null for a sub-id that is not unique. */
function indexBySubId(all: ReceivedObservations): Map<string, ReceivedObservation | null> {
  const byId = new Map<string, ReceivedObservation | null>();
  for (const one of all) {
    if (one.subId !== undefined) byId.set(one.subId, byId.has(one.subId) ? null : one);
  }
  return byId;
}

const isOutranked = ({ before, now }: RestatedDraw): boolean =>
  now.length > 0 && [isPreliminary, isPending].some((isLess) => now.every(isLess) && !before.every(isLess));

const isPreliminary = ({ status }: ReceivedObservation) => status === 'preliminary';
