import type { ReceivedObservation, ReceivedReport } from '../../adapters/lab-network/port.ts';

/**
 * All that a laboratory has reported of one order as one report. Laboratories send a panel at a time, and of a
 * correction often the corrected value alone: what a later report does not tell of stays as it was told before. Later
 * is by the laboratory's own moment, so that reports that overtake each other on the way come to the same; a
 * preliminary value never takes the place of a final one.
 */
export function mergeReports(earlier: readonly ReceivedReport[], report: ReceivedReport): ReceivedReport {
  const sorted = [...earlier, report].toSorted((a, b) => a.reportedAt.getTime() - b.reportedAt.getTime());
  const newest = sorted.at(-1) ?? report;
  const values = new Map<string, readonly ReceivedObservation[]>();
  for (const { observations } of sorted) {
    for (const [key, told] of grouped(observations)) {
      if (!isOutranked(told, values.get(key))) values.set(key, told);
    }
  }
  return {
    ...newest,
    status: report.status,
    collectedAt: sorted.findLast(({ collectedAt }) => collectedAt)?.collectedAt ?? null,
    receivedAt: sorted.findLast(({ receivedAt }) => receivedAt)?.receivedAt ?? null,
    laboratory: sorted.findLast(({ laboratory }) => laboratory)?.laboratory ?? null,
    clia: sorted.findLast(({ clia }) => clia)?.clia ?? null,
    observations: [...values.values()].flat(),
    notes: [...new Set(sorted.flatMap(({ notes }) => notes))],
  };
}

function grouped(observations: readonly ReceivedObservation[]): Map<string, ReceivedObservation[]> {
  const groups = new Map<string, ReceivedObservation[]>();
  for (const one of observations) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}

/** What makes two observations be of one thing: the test that they answer and their own code. */
function keyOf({ test, code, loinc, name }: ReceivedObservation): string {
  const under = test.code ?? test.loinc ?? test.name;
  return `${under?.length ?? -1}:${under ?? ''}${code ?? loinc ?? name}`;
}

const isOutranked = (
  told: readonly ReceivedObservation[],
  known: readonly ReceivedObservation[] | undefined,
): boolean => known !== undefined && told.every(isPreliminary) && !known.every(isPreliminary);

const isPreliminary = ({ status }: ReceivedObservation) => status === 'preliminary';
