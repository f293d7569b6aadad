import type { ColumnType } from 'kysely';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { TaskStatus } from './status.ts';

/** Written as JSON text; read as an unknown value, which callers must validate. */
type QueryJsonColumn = ColumnType<unknown, string, never>;

declare module '../../platform/db/database.ts' {
  interface Database {
    continuous_query: TenantColumns & {
      id: string;
      slug: string;
      title: string;
      query: QueryJsonColumn;
      config: QueryJsonColumn;
      resources: string[];
      minimum_gap_seconds: number | null;
      data_events: boolean;
      created_at: Date;
      updated_at: Date;
      archived_at: Date | null;
    };
    continuous_query_result: TenantColumns & {
      query_id: string;
      user_id: string;
      document: Buffer;
      revision: number;
      computed_at: Date;
    };
    continuous_query_task: TenantColumns & {
      id: string;
      query_id: string;
      user_id: string;
      status: TaskStatus;
      changed_from: Date | null;
      scheduled_at: Date;
      started_at: Date | null;
      ended_at: Date | null;
      error_details: string | null;
    };
  }
}
