import type { Generated } from 'kysely';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';

export type ConnectionKind = 'oauth' | 'demo' | 'pushed';
type ConnectionStatus = 'connected' | 'error' | 'paused';
type PullStatus = 'scheduled' | 'in_progress' | 'retrying' | 'success' | 'failure';
type BulkOpType = 'link_bulk_import' | 'link_bulk_historical_trigger';

declare module '../../platform/db/database.ts' {
  interface Database {
    connection: TenantColumns & {
      id: string;
      user_id: string;
      provider: string;
      kind: ConnectionKind;
      status: ConnectionStatus;
      private: Buffer;
      external_index: Buffer | null;
      /** The seed of a demo's fictional person; null: the id of the user. */
      demo_seed: Generated<string | null>;
      resources: string[];
      fault: string | null;
      errored_at: Date | null;
      news_refused_at: Date | null;
      renewing_until: Date | null;
      pulled_to: Date | null;
      expires_at: Date | null;
      created_at: Date;
      updated_at: Date;
      removed_at: Date | null;
    };
    historical_pull: TenantColumns & {
      connection_id: string;
      resource: string;
      status: PullStatus;
      range_start: Date;
      range_end: Date;
      reached_at: Date;
      /** Where the current step goes on; null if at its start. */
      resume_from: Date | null;
      days_with_data: Generated<number>;
      tries: Generated<number>;
      fault: string | null;
      bulk_op_id: string | null;
      scheduled_at: Date;
      started_at: Date | null;
      ended_at: Date | null;
    };
    due_pull: TenantColumns & {
      connection_id: string;
      resource: string;
      from_at: Date;
      to_at: Date;
      asks: Generated<number>;
    };
    user_refresh: TenantColumns & { user_id: string; moments: Date[] };
    bulk_op: TenantColumns & {
      id: string;
      type: BulkOpType;
      provider: string;
      total: number;
      failed: number;
      started_at: Date;
    };
  }
}
