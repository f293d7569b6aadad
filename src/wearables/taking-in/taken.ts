/** How many of one resource were new, changed something, or said what was there already. */
export interface Count {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** Something that was brought and not kept. */
export interface Refusal {
  /** Which of the readings, from 0, in the order in which they came. */
  readonly reading: number;
  readonly resource: string;
  /** Where in the reading: `samples`, 3, `value`. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** What became of readings. */
export interface Taken {
  readonly counts: Readonly<Record<string, Count>>;
  /** The first of them: REFUSALS_KEPT at most. */
  readonly refused: readonly Refusal[];
  readonly refusedCount: number;
}

export const REFUSALS_KEPT = 1000;

export const NOTHING_TAKEN: Taken = { counts: {}, refused: [], refusedCount: 0 };

const NONE: Count = { created: 0, updated: 0, unchanged: 0 };

/** Both together. */
export function addTaken(one: Taken, other: Taken): Taken {
  const counts = { ...one.counts };
  for (const [resource, count] of Object.entries(other.counts))
    counts[resource] = addCounts(counts[resource] ?? NONE, count);
  return {
    counts,
    refused: [...one.refused, ...other.refused].slice(0, REFUSALS_KEPT),
    refusedCount: one.refusedCount + other.refusedCount,
  };
}

export const addCounts = (one: Count, other: Count): Count => ({
  created: one.created + other.created,
  updated: one.updated + other.updated,
  unchanged: one.unchanged + other.unchanged,
});

/** Counts of all resources together. */
export const countAll = ({ counts }: Pick<Taken, 'counts'>): Count =>
  Object.values(counts).reduce(addCounts, NONE);
