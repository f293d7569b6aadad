import type { ColumnType } from 'kysely';
import type { TenantColumns } from '../platform/db/tenant-rows.ts';

type ProviderSettingsJson<T> = ColumnType<T, string, string>;

declare module '../platform/db/database.ts' {
  interface Database {
    provider_credential: TenantColumns & {
      id: string;
      source: string;
      private: Buffer;
      created_at: Date;
      updated_at: Date;
    };
    data_pull_preference: TenantColumns & {
      provider: string;
      default_days: number;
      overrides: ProviderSettingsJson<Record<string, number>>;
      updated_at: Date;
    };
    scope_requirement: TenantColumns & {
      provider: string;
      must_grant: string[];
      may_grant: string[];
      updated_at: Date;
    };
    source_priority: TenantColumns & { data_type: string; provider: string; priority: number };
  }
}
