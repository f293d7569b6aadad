import type { TenantColumns } from '../../platform/db/tenant-rows.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    untold_history: TenantColumns & {
      user_id: string;
      provider: string;
      resource: string;
      first_at: Date;
      last_at: Date;
    };
  }
}
