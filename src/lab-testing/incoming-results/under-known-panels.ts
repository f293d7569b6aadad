import type { ReceivedObservation, ReceivedReport } from '../../adapters/lab-network/port.ts';
import { groupedBy, keyOf, ownKeyOf, type Observations } from './same-thing.ts';

interface Known {
  readonly observations: Observations;
  /** By panel and code. */
  readonly byKey: ReadonlyMap<string, Observations>;
}

/**
 * What a report tells, each correction under the panel in which the corrected value stands: some laboratories correct
 * a value of a panel under the code of another, and nobody may see two values of which one is wrong. It has to be one
 * value alone that can be meant; where it may be one of several, or a value of another draw, all of them stand.
 */
export function underKnownPanels(
  known: Known,
  { observations, status }: Pick<ReceivedReport, 'observations' | 'status'>,
): Observations {
  const isCorrection = status === 'corrected';
  if (!isCorrection && !observations.some(isChange)) return observations;
  const told = groupedBy(observations, keyOf);
  const elsewhere = once(() => panelsByName(known.observations, told));
  const homes = new Map<ReceivedObservation, ReceivedObservation['test']>();
  for (const [key, now] of told) {
    if (known.byKey.has(key) || !(isCorrection || now.some(isChange))) continue;
    const [first] = now;
    const panels = first ? (elsewhere().get(ownKeyOf(first)) ?? []) : [];
    const home = panelMeant(now, panels);
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

/** The known values of each name, a panel at a time, but for the panels that the report tells of it itself. */
function panelsByName(
  known: Observations,
  told: ReadonlyMap<string, Observations>,
): ReadonlyMap<string, readonly Observations[]> {
  const byName = new Map<string, Observations[]>();
  for (const [key, then] of groupedBy(known, keyOf)) {
    const [first] = then;
    if (!first || told.has(key)) continue;
    const name = ownKeyOf(first);
    const panels = byName.get(name);
    if (panels) panels.push(then);
    else byName.set(name, [then]);
  }
  return byName;
}

function panelMeant(
  now: Observations,
  panels: readonly Observations[],
): ReceivedObservation['test'] | undefined {
  const changed = panels.filter((then) => isChanged(then, now));
  const ofTheDraw = panels.filter((then) => isOneDraw(then, now));
  // A report that is a correction as a whole says of no value that it was changed, so the draw has to say it.
  const [meant, ...others] = changed.length === 1 ? changed : ofTheDraw;
  return others.length === 0 ? meant?.[0]?.test : undefined;
}

/** A test that was cancelled as a double of another takes nothing from that; a value that is taken back names itself. */
const isChanged = (then: Observations, now: Observations): boolean =>
  now.some(
    ({ status, value }) =>
      status === 'corrected' ||
      (status === 'cancelled' && then.some((one) => one.value !== null && one.value === value)),
  );

const isOneDraw = (then: Observations, now: Observations): boolean =>
  now.every(
    ({ status, observedAt: at }) =>
      status !== 'cancelled' &&
      at !== null &&
      then.some(({ observedAt: before }) => before && +at === +before),
  );

function once<T>(find: () => T): () => T {
  let found: { readonly value: T } | undefined;
  return () => (found ??= { value: find() }).value;
}
