import type { ReceivedObservation, ReceivedReport } from '../../adapters/lab-network/port.ts';
import {
  groupObservations,
  toObservationKey,
  toOwnKey,
  type ReceivedObservations,
} from './observation-key.ts';

interface KnownObservations {
  readonly observations: ReceivedObservations;
  /** By `toObservationKey`. */
  readonly byKey: ReadonlyMap<string, ReceivedObservations>;
}

/**
 * Moves corrections to the panel of the corrected value. Some laboratories correct a value of one panel under the code
 * of another; without the move, the wrong value would remain next to the corrected one. A correction is moved only if
 * exactly one known value can be meant.
 */
export function reassignToKnownPanels(
  known: KnownObservations,
  { observations, status }: Pick<ReceivedReport, 'observations' | 'status'>,
): ReceivedObservations {
  const isCorrection = status === 'corrected';
  if (!isCorrection && !observations.some(isChange)) return observations;
  const told = groupObservations(observations, toObservationKey);
  const elsewhere = memoize(() => groupPanelsByName(known.observations, told));
  const homes = new Map<ReceivedObservation, ReceivedObservation['test']>();
  for (const [key, now] of told) {
    if (known.byKey.has(key) || !(isCorrection || now.some(isChange))) continue;
    const [first] = now;
    const panels = first ? (elsewhere().get(toOwnKey(first)) ?? []) : [];
    const home = findMeantPanel(now, panels);
    if (home) for (const one of now) homes.set(one, home);
  }
  if (homes.size === 0) return observations;
  return observations.map((one) => {
    const test = homes.get(one);
    return test ? { ...one, test } : one;
  });
}

const isChange = ({ status }: ReceivedObservation): boolean =>
  status === 'corrected' || status === 'cancelled';

/** The known values by code, one list per panel; without panels that the report itself contains. */
function groupPanelsByName(
  known: ReceivedObservations,
  told: ReadonlyMap<string, ReceivedObservations>,
): ReadonlyMap<string, readonly ReceivedObservations[]> {
  const byName = new Map<string, ReceivedObservations[]>();
  for (const [key, then] of groupObservations(known, toObservationKey)) {
    const [first] = then;
    if (!first || told.has(key)) continue;
    const name = toOwnKey(first);
    const panels = byName.get(name);
    if (panels) panels.push(then);
    else byName.set(name, [then]);
  }
  return byName;
}

function findMeantPanel(
  now: ReceivedObservations,
  panels: readonly ReceivedObservations[],
): ReceivedObservation['test'] | undefined {
  const changed = panels.filter((then) => isCorrectionOf(then, now));
  const ofTheDraw = panels.filter((then) => isSameDraw(then, now));
  // In a report that is corrected as a whole, single values are not marked: the draw has to match.
  const [meant, ...others] = changed.length === 1 ? changed : ofTheDraw;
  return others.length === 0 ? meant?.[0]?.test : undefined;
}

/** A cancellation applies only if it repeats the value: a test cancelled as a duplicate must not remove the other. */
const isCorrectionOf = (then: ReceivedObservations, now: ReceivedObservations): boolean =>
  now.some(
    ({ status, value }) =>
      status === 'corrected' ||
      (status === 'cancelled' && then.some((one) => one.value !== null && one.value === value)),
  );

const isSameDraw = (then: ReceivedObservations, now: ReceivedObservations): boolean =>
  now.every(
    ({ status, observedAt: at }) =>
      status !== 'cancelled' &&
      at !== null &&
      then.some(({ observedAt: before }) => before && +at === +before),
  );

function memoize<T>(find: () => T): () => T {
  let found: { readonly value: T } | undefined;
  return () => (found ??= { value: find() }).value;
}
