import type { TenantColumns } from '../../platform/db/tenant-rows.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    erasure_certificate: TenantColumns & {
      about_user: string;
      finished_at: Date;
      document: string;
      digest: string;
    };
  }
}
