import type { ReceivedObservation, ReceivedReport, TestNote } from '../../adapters/lab-network/port.ts';
import { isAnnounced } from '../results/results.ts';
import { retoldDraws, type Retold } from './draws.ts';
import { asKeptBefore, withoutKeptNotes } from './kept-before.ts';
import { groupedBy, keyOf, type Observations } from './same-thing.ts';
import { underKnownPanels } from './under-known-panels.ts';

/**
 * All that a laboratory has reported of one order as one report. Laboratories send a panel at a time, and of a
 * correction often the corrected value alone: what a later report does not tell of stays as it was told before. Later
 * is by the laboratory's own moment, so that reports that overtake each other on the way come to the same; a
 * preliminary value never takes the place of a final one, nor a value that is only announced that of any.
 */
export function mergeReports(
  earlier: readonly ReceivedReport[],
  report: ReceivedReport,
): Omit<ReceivedReport, 'status' | 'isPending'> {
  const sorted = [...earlier, report].toSorted(
    (a, b) => a.reportedAt.getTime() - b.reportedAt.getTime() || RANKS[a.status] - RANKS[b.status],
  );
  const newest = sorted.at(-1) ?? report;
  const [oldest, ...later] = sorted;
  return {
    ...newest,
    collectedAt: sorted.findLast(({ collectedAt }) => collectedAt)?.collectedAt ?? null,
    receivedAt: sorted.findLast(({ receivedAt }) => receivedAt)?.receivedAt ?? null,
    laboratory: sorted.findLast(({ laboratory }) => laboratory)?.laboratory ?? null,
    clia: sorted.findLast(({ clia }) => clia)?.clia ?? null,
    observations: later.reduce(retold, oldest?.observations ?? []),
    notes: [...new Set(sorted.flatMap(({ notes }) => notes))],
    testNotes: eachOnce(withoutKeptNotes(sorted)),
  };
}

const eachOnce = (notes: readonly TestNote[]): TestNote[] => [
  ...new Map(
    notes.map((one) => [JSON.stringify([one.test.code, one.test.loinc, one.test.name, one.note]), one]),
  ).values(),
];

/** Of one moment, which is often only a day, what is put right comes behind what it puts right. */
const RANKS: Readonly<Record<ReceivedReport['status'], number>> = { partial: 0, final: 1, corrected: 2 };

/**
 * What was known with what is told now: each thing in the place where it stood, and what had none behind that which it
 * is told behind. The order has a meaning: a drug belongs to the isolate that it is reported below.
 */
function retold(known: Observations, report: ReceivedReport): Observations {
  const before = groupedBy(known, keyOf);
  const observations = asKeptBefore(report.observations, before);
  const told = underKnownPanels({ observations: known, byKey: before }, { ...report, observations });
  const places = new Map<ReceivedObservation, ReceivedObservation | null>();
  const outranked = new Set<ReceivedObservation>();
  for (const [key, now] of groupedBy(told, keyOf)) {
    const then = before.get(key);
    if (!then) continue;
    for (const draw of retoldDraws(then, now, report)) {
      if (isOutranked(draw)) for (const one of draw.now) outranked.add(one);
      else for (const [one, successor] of successors(draw)) places.set(one, successor);
    }
  }
  const all = known.flatMap((one) => {
    const successor = places.get(one);
    return successor === undefined ? [one] : successor === null ? [] : [successor];
  });
  return withNew(
    all,
    told.filter((one) => !outranked.has(one)),
  );
}

function withNew(all: Observations, told: Observations): Observations {
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

/** What takes the place of each observation of a draw; null where it goes, itself where it stays. */
function successors({ before: then, now }: Retold): [ReceivedObservation, ReceivedObservation | null][] {
  const [first] = now;
  const [only] = then;
  if (then.length === 1 && now.length === 1 && first && only) return [[only, first]];
  const [thenById, nowById] = [bySubId(then), bySubId(now)];
  // A drug of one isolate says nothing of the same drug of another; the lines of a text are told together.
  const isPart = now.every(
    ({ subId, form }) => subId !== undefined && form !== 'text' && thenById.has(subId),
  );
  return then.map((one) => {
    const next = one.subId === undefined ? undefined : nowById.get(one.subId);
    if (next && thenById.get(one.subId ?? '')) return [one, next];
    return [one, next === undefined && isPart && !isPreliminary(one) ? one : null];
  });
}

/** Each by its sub-id; null where several have the same. */
function bySubId(all: Observations): Map<string, ReceivedObservation | null> {
  const byId = new Map<string, ReceivedObservation | null>();
  for (const one of all) {
    if (one.subId !== undefined) byId.set(one.subId, byId.has(one.subId) ? null : one);
  }
  return byId;
}

const isOutranked = ({ before, now }: Retold): boolean =>
  now.length > 0 && [isPreliminary, isAnnounced].some((isLess) => now.every(isLess) && !before.every(isLess));

const isPreliminary = ({ status }: ReceivedObservation) => status === 'preliminary';
