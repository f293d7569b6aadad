import type { TenantColumns } from '../platform/db/tenant-rows.ts';

declare module '../platform/db/database.ts' {
  interface Database {
    lab_report_job: TenantColumns & {
      id: string;
      user_id: string;
      status: string;
      failure_reason: string | null;
      needs_human_review: boolean;
      is_reviewed: boolean;
      pages: number;
      data: Buffer | null;
      lease_id: string | null;
      leased_until: Date | null;
      tries: number;
      created_at: Date;
      updated_at: Date;
    };
    lab_report_file: TenantColumns & {
      id: string;
      job_id: string | null;
      place: number | null;
      media_type: string | null;
      made_at: Date;
    };
    lab_report_review: TenantColumns & {
      job_id: string;
      key_id: string;
      reviewer: Buffer | null;
      changes: Buffer;
      reviewed_at: Date;
    };
  }
}
