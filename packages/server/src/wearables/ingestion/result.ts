/** Counts of one resource. */
export interface IngestionCount {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** Rejected data. */
export interface IngestionRefusal {
  /** The zero-based index of the reading. */
  readonly reading: number;
  readonly resource: string;
  /** The path in the reading, such as `samples`, 3, `value`. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** The result of an ingestion. */
export interface IngestionResult {
  readonly counts: Readonly<Record<string, IngestionCount>>;
  /** The first REFUSALS_MAX refusals. */
  readonly refused: readonly IngestionRefusal[];
  readonly refusedCount: number;
}

export const REFUSALS_MAX = 1000;

export const EMPTY_RESULT: IngestionResult = { counts: {}, refused: [], refusedCount: 0 };

const ZERO_COUNT: IngestionCount = { created: 0, updated: 0, unchanged: 0 };

/** The sum of two results. */
export function addResults(one: IngestionResult, other: IngestionResult): IngestionResult {
  const counts = { ...one.counts };
  for (const [resource, count] of Object.entries(other.counts))
    counts[resource] = addCounts(counts[resource] ?? ZERO_COUNT, count);
  return {
    counts,
    refused: [...one.refused, ...other.refused].slice(0, REFUSALS_MAX),
    refusedCount: one.refusedCount + other.refusedCount,
  };
}

const addCounts = (one: IngestionCount, other: IngestionCount): IngestionCount => ({
  created: one.created + other.created,
  updated: one.updated + other.updated,
  unchanged: one.unchanged + other.unchanged,
});

/** The counts of all resources added up. */
export const sumCounts = ({ counts }: Pick<IngestionResult, 'counts'>): IngestionCount =>
  Object.values(counts).reduce(addCounts, ZERO_COUNT);
