import type { Generated } from 'kysely';
import type { TenantColumns } from '../platform/db/tenant-rows.ts';
import type { RetentionKind } from './kinds.ts';

declare module '../platform/db/database.ts' {
  interface Database {
    retention_policy: TenantColumns & { kind: RetentionKind; keep_days: number | null };
    retention_sweep: TenantColumns & {
      kind: RetentionKind;
      day: string;
      id: string;
      keep_days: number;
      deleted_before: Date;
      deleted: Generated<number>;
      oldest: Date | null;
      newest: Date | null;
      finished_at: Date | null;
    };
  }
}
