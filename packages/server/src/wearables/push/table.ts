import type { TenantColumns } from '../../platform/db/tenant-rows.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    due_activity: TenantColumns & {
      user_id: string;
      provider: string;
      day: string;
      from_at: Date;
    };
  }
}
