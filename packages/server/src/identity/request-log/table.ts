import type { ColumnType, Generated } from 'kysely';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { ProblemLocation } from '../../platform/http/request-logger.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    request_log: TenantColumns & {
      at: Date;
      place: Generated<number>;
      kind: string;
      key_id: string;
      operation: string;
      method: string;
      route: string;
      path: string;
      status: number;
      duration_ms: number;
      request_id: string;
      idempotency_key: string | null;
      problem: string | null;
      locations: ColumnType<ProblemLocation[] | null, string | null, never>;
    };
  }
}
