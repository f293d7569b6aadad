import type { TenantColumns } from '../../platform/db/tenant-rows.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    deleted_record: TenantColumns & {
      connection_id: string;
      resource: string;
      key: string;
      deleted_at: Date;
    };
  }
}
