import type { Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Body } from './bodies.ts';
import './table.ts';

export type SummaryRow = Omit<
  Selectable<Database['wearable_summary']>,
  'team_id' | 'environment' | 'body' | 'raw' | 'digest'
>;

/** A summary as it is kept, its body opened. */
export interface Summary extends SummaryRow {
  readonly body: Body;
}

export interface RawSummary extends SummaryRow {
  /** What the provider sent; the fields of the summary where nobody sent it as an object. */
  readonly data: Body;
}

/** What became of something that was brought. */
export type Change = 'created' | 'updated' | 'none';
