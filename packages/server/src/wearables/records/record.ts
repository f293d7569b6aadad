import type { Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { SummaryBody } from './body-schemas.ts';
import './table.ts';

export type SummaryRow = Omit<
  Selectable<Database['wearable_summary']>,
  'team_id' | 'environment' | 'body' | 'raw' | 'digest' | 'is_detailed'
>;

/** A stored summary with its body decrypted. */
export interface Summary extends SummaryRow {
  readonly body: SummaryBody;
}

export interface RawSummary extends SummaryRow {
  /** The provider's payload; the body of the summary if there is none. */
  readonly data: SummaryBody;
}

/** The outcome of a write. */
export type WriteOutcome = 'created' | 'updated' | 'none';
