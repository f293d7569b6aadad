import type { TenantColumns } from '../../platform/db/tenant-rows.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    wearable_upload: TenantColumns & {
      id: string;
      user_id: string;
      status: string;
      kind: string;
      bytes: string | number;
      progress: number;
      outcome: Buffer | null;
      lease_id: string | null;
      leased_until: Date | null;
      tries: number;
      created_at: Date;
      updated_at: Date;
    };
    wearable_file: TenantColumns & {
      id: string;
      upload_id: string | null;
      made_at: Date;
    };
  }
}
