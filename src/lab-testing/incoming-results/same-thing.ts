import type { ReceivedObservation } from '../../adapters/lab-network/port.ts';

export type Observations = readonly ReceivedObservation[];

const panelOf = ({ test }: ReceivedObservation) => test.code ?? test.loinc ?? test.name;

/** What it is called, whatever it is reported under; the volume of a specimen is not that of a day's urine. */
export function ownKeyOf({ code, loinc, name, isAside }: ReceivedObservation): string {
  const called = code ?? loinc ?? name;
  return isAside ? `aside ${called}` : called;
}

/** What makes two observations be of one thing: the test that they answer and their own code. */
export function keyOf(observation: ReceivedObservation): string {
  const under = panelOf(observation);
  return `${under?.length ?? -1}:${under ?? ''}${ownKeyOf(observation)}`;
}

export function groupedBy(
  observations: Observations,
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
