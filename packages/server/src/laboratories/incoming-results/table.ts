import type { ColumnType, Generated } from 'kysely';
import type { z } from 'zod';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type {
  MatchDecisionCode,
  MatchReviewStatus,
  MatchSubReasonCode,
} from '../../results/results/results.ts';
import type { StoredMatchCandidate } from './match-candidate.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    incoming_result: TenantColumns & {
      id: string;
      lab_slug: string;
      control_id: string;
      message_id: string;
      digest: Buffer;
      /** Sealed: the report, see report-serialization.ts. */
      document: Buffer;
      reported_at: Date;
      status: z.output<typeof MatchReviewStatus>;
      decision_code: z.output<typeof MatchDecisionCode>;
      sub_reason_codes: z.output<typeof MatchSubReasonCode>[];
      score: number | null;
      order_id: string | null;
      version: number | null;
      review_opened_at: Date | null;
      candidates: ColumnType<StoredMatchCandidate[], string | undefined, string>;
      /** The order whose kit must be registered before the report is matched again. */
      awaits_kit: string | null;
      reviewed_at: Generated<Date | null>;
      reviewed_by: Generated<string | null>;
      action: Generated<string | null>;
      /** Sealed. */
      note: Generated<Buffer | null>;
      created_at: Date;
      updated_at: Date;
    };
  }
}
