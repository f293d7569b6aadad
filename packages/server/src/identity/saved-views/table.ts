import type { TenantColumns } from '../../platform/db/tenant-rows.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    saved_view: TenantColumns & {
      id: string;
      owner_id: string;
      member_id: string | null;
      page: string;
      document: Buffer;
      created_at: Date;
      updated_at: Date;
    };
  }
}
