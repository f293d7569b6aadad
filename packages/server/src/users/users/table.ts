import type { TenantColumns } from '../../platform/db/tenant-rows.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    app_user: TenantColumns & {
      id: string;
      client_user_id: string;
      fallback_time_zone: string | null;
      fallback_time_zone_source: string | null;
      fallback_time_zone_at: Date | null;
      fallback_birth_date: Buffer | null;
      fallback_birth_date_source: string | null;
      fallback_birth_date_at: Date | null;
      ingestion_start: string | null;
      ingestion_end: string | null;
      created_at: Date;
      deleted_at: Date | null;
    };
    user_info: TenantColumns & {
      user_id: string;
      document: Buffer;
      email_index: Buffer;
      updated_at: Date;
    };
    /** Parts of the count of users, kept by triggers; see migration 0157. */
    user_tally: TenantColumns & { slot: string; users: number };
  }
}
