import type { Generated } from 'kysely';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';

/**
 * The status of a message: pending, held (its endpoint is disabled, or its user deleted), or failed (exhausted).
 * Delivered messages are removed.
 */
export type DeliveryStatus = 'pending' | 'held' | 'failed';

declare module '../../platform/db/database.ts' {
  interface Database {
    webhook_endpoint: TenantColumns & {
      id: string;
      url: string;
      description: string | null;
      filter_types: string[] | null;
      rate_limit: number | null;
      rate_free_at: Date | null;
      headers: Buffer;
      secrets: Buffer;
      revision: Generated<number>;
      disabled_at: Date | null;
      first_failure_at: Date | null;
      last_failure_at: Date | null;
      failing_since: Date | null;
      created_at: Date;
      updated_at: Date;
      deleted_at: Generated<Date | null>;
    };
    webhook_delivery: TenantColumns & {
      id: string;
      endpoint_id: string;
      event_id: string;
      status: Generated<DeliveryStatus>;
      attempts: Generated<number>;
      due_at: Date;
      due_wall: Date;
      created_at: Date;
      finished_at: Date | null;
    };
    webhook_bundle: TenantColumns & {
      id: string;
      endpoint_id: string;
      event_ids: string[];
      due_at: Date;
      due_wall: Date;
    };
    webhook_attempt: TenantColumns & {
      id: string;
      endpoint_id: string;
      event_id: string;
      attempt: number;
      at: Date;
      status_code: number | null;
      error: string | null;
      duration_ms: number;
      response: Buffer | null;
      exchange: Buffer | null;
    };
    webhook_attempt_block: TenantColumns & {
      id: string;
      endpoint_id: string;
      first_at: Date;
      last_at: Date;
      event_ids: string[];
      attempts: Buffer;
    };
    webhook_lease: {
      sender: string;
      leased_until: Date;
      messages: string[];
    };
    webhook_statistics: TenantColumns & {
      endpoint_id: string;
      bucket: Date;
      succeeded: number;
      failed: number;
      answers: number[];
      receipts: number[];
    };
    webhook_tally: TenantColumns & {
      bucket: Date;
      endpoint_id: string;
      event_type: string;
      succeeded: number;
      failed: number;
    };
  }
}
