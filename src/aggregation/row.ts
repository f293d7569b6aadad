/** What a column may hold. Moments and days are milliseconds on the user's wall, see local-time.ts. */
export type Kind = 'number' | 'integer' | 'text' | 'boolean' | 'moment' | 'day' | 'list';
export type Scalar = number | string | boolean | null;
export type Value = Scalar | readonly unknown[];

export interface RowSource {
  readonly provider: string;
  readonly type: string;
  readonly appId: string | null;
  readonly deviceId: string | null;
  readonly workoutId: string | null;
  readonly sport: string | null;
}

/** One summary or one sample, as a query sees it. */
export interface Row {
  /** Its index: when it was, on the user's wall. */
  readonly at: number;
  readonly source: RowSource;
  /** The view of a summary, or the fields of a sample. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The user's wall at a moment that this row names. */
  readonly wall: (moment: number) => number;
}

export interface Column {
  readonly name: string;
  readonly kind: Kind;
  readonly of: (row: Row) => Value;
}
