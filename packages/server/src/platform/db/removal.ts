/** A bounded step of a deletion by age: up to `limit` rows older than `before`. */
export interface RemovalStep {
  readonly before: Date;
  readonly limit: number;
  /** `next` of the previous step; null for the first one. */
  readonly after: string | null;
}

/** What a step removed: how many rows, and their oldest and newest time. */
export interface Removal {
  readonly deleted: number;
  readonly oldest: Date | null;
  readonly newest: Date | null;
  /** Where the next step continues; null once nothing is left to remove. */
  readonly next: string | null;
}

/** The row of a statement that counts what it removed. */
export interface RemovedCount {
  readonly deleted: number;
  readonly oldest: Date | null;
  readonly newest: Date | null;
}

export const NOTHING_REMOVED: RemovedCount = { deleted: 0, oldest: null, newest: null };

export const addCounts = (counts: readonly RemovedCount[]): RemovedCount =>
  counts.reduce(
    (sum, one) => ({
      deleted: sum.deleted + one.deleted,
      oldest: pick(sum.oldest, one.oldest, (a, b) => a < b),
      newest: pick(sum.newest, one.newest, (a, b) => a > b),
    }),
    NOTHING_REMOVED,
  );

const pick = (a: Date | null, b: Date | null, isFirst: (a: Date, b: Date) => boolean): Date | null =>
  a === null || b === null ? (a ?? b) : isFirst(a, b) ? a : b;
