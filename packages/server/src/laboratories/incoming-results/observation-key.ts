import type { ReceivedObservation } from '../../adapters/lab-network/port.ts';

export type ReceivedObservations = readonly ReceivedObservation[];

export const getPanelName = ({ test }: Pick<ReceivedObservation, 'test'>): string | null =>
  test.code ?? test.loinc ?? test.name;

/** The code without its panel. Asides have their own keys: the volume of a specimen is not a urine volume result. */
export function toOwnKey({ code, loinc, name, isAside }: ReceivedObservation): string {
  const called = code ?? loinc ?? name;
  return isAside ? `aside ${called}` : called;
}

/** Observations with equal keys measure the same: the panel and the code of the observation. */
export function toObservationKey(observation: ReceivedObservation): string {
  const under = getPanelName(observation);
  return `${under?.length ?? -1}:${under ?? ''}${toOwnKey(observation)}`;
}

export function groupObservations(
  observations: ReceivedObservations,
  of: (observation: ReceivedObservation) => string,
): Map<string, ReceivedObservation[]> {
  const groups = new Map<string, ReceivedObservation[]>();
  for (const one of observations) {
    const key = of(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}
