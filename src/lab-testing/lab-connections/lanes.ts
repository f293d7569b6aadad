import type { ReceivedReport } from '../../adapters/lab-network/port.ts';

/** What a message has to be told apart by: the specimens and the orders that its reports name. */
interface Naming {
  readonly reports: readonly Pick<ReceivedReport, 'sampleIds' | 'placerOrderId'>[];
}

/** Those that name nothing are found by their patient, and could be about any order. */
const NAMELESS = '';

/**
 * Sorts messages into lanes that can be taken side by side: two that share a name are in one lane, in the order in
 * which they came, and so are those that a third one ties together.
 */
export function lanesOf<T extends Naming>(messages: readonly T[]): T[][] {
  const laneOf = new Map<string, Set<T>>();
  for (const message of messages) {
    const names = namesOf(message);
    const lane = new Set<T>();
    const touched = new Set(names.map((name) => laneOf.get(name)).filter((other) => other !== undefined));
    for (const other of touched) for (const one of other) lane.add(one);
    lane.add(message);
    for (const one of lane) for (const name of namesOf(one)) laneOf.set(name, lane);
  }
  const place = new Map(messages.map((message, index) => [message, index]));
  return [...new Set(laneOf.values())].map((lane) =>
    [...lane].toSorted((one, other) => (place.get(one) ?? 0) - (place.get(other) ?? 0)),
  );
}

function namesOf({ reports }: Naming): string[] {
  const names = reports.flatMap(({ sampleIds, placerOrderId }) => [
    ...sampleIds.map((id) => id.trim().toUpperCase()),
    ...(placerOrderId === null ? [] : [placerOrderId.trim().toUpperCase()]),
  ]);
  return names.length === 0 ? [NAMELESS] : names;
}
