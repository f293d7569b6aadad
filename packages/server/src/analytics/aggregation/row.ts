/** The type of a column. Moments and days are in milliseconds of the user's local time; see local-time.ts. */
export type ColumnKind = 'number' | 'integer' | 'text' | 'boolean' | 'moment' | 'day' | 'list';
export type ScalarValue = number | string | boolean | null;
export type ColumnValue = ScalarValue | readonly unknown[];

export interface RowSource {
  readonly provider: string;
  readonly type: string;
  readonly appId: string | null;
  readonly deviceId: string | null;
  readonly workoutId: string | null;
  readonly sport: string | null;
}

/** One summary or one sample, as the input of a query. */
export interface AggregationRow {
  /** The index: its time, in the user's local time. */
  readonly at: number;
  readonly source: RowSource;
  /** The fields of a summary view or of a sample. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Converts a UTC timestamp in this row to local time. */
  readonly toLocalTime: (moment: number) => number;
}

export interface AggregationColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly of: (row: AggregationRow) => ColumnValue;
}
