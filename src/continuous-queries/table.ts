import type { ColumnType } from 'kysely';
import type { TenantColumns } from '../platform/db/tenant-rows.ts';
import type { TaskStatus } from './status.ts';

/** JSON is written as text and read as what it says, which is parsed before it is used. */
type Json = ColumnType<unknown, string, never>;

declare module '../platform/db/database.ts' {
  interface Database {
    continuous_query: TenantColumns & {
      id: string;
      slug: string;
      title: string;
      query: Json;
      config: Json;
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
