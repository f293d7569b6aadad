import type { TenantColumns } from '../../platform/db/tenant-rows.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    kept_availability: TenantColumns & {
      provider: string;
      place_code: string;
      place: string;
      place_hash: string;
      first_day: string;
      days: number;
      slots: string;
      asked_at: Date;
      refreshed_at: Date;
    };
    availability_round: TenantColumns & { provider: string; next_at: Date };
  }
}
