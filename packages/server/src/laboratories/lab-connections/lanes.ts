import type { ReceivedReport } from '../../adapters/lab-network/port.ts';

/** The specimen and order ids in the reports of a message decide its lane. */
interface LaneMessage {
  readonly reports: readonly Pick<ReceivedReport, 'sampleIds' | 'placerOrderId'>[];
}

/** Reports without ids are matched by patient and could belong to any order: they share one lane. */
const NO_NAME = '';

/**
 * Groups messages into lanes that can be processed concurrently. Messages that share an id, directly or through other
 * messages, are in one lane, in the order of arrival.
 */
export function groupIntoLanes<T extends LaneMessage>(messages: readonly T[]): T[][] {
  const laneOf = new Map<string, Set<T>>();
  for (const message of messages) {
    const names = listOrderNames(message);
    const lane = new Set<T>();
    const touched = new Set(names.map((name) => laneOf.get(name)).filter((other) => other !== undefined));
    for (const other of touched) for (const one of other) lane.add(one);
    lane.add(message);
    for (const one of lane) for (const name of listOrderNames(one)) laneOf.set(name, lane);
  }
  const place = new Map(messages.map((message, index) => [message, index]));
  return [...new Set(laneOf.values())].map((lane) =>
    [...lane].toSorted((one, other) => (place.get(one) ?? 0) - (place.get(other) ?? 0)),
  );
}

function listOrderNames({ reports }: LaneMessage): string[] {
  const names = reports.flatMap(({ sampleIds, placerOrderId }) => [
    ...sampleIds.map((id) => id.trim().toUpperCase()),
    ...(placerOrderId === null ? [] : [placerOrderId.trim().toUpperCase()]),
  ]);
  return names.length === 0 ? [NO_NAME] : names;
}
