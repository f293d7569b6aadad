import type { ColumnType, Generated } from 'kysely';

declare module '../platform/db/database.ts' {
  interface Database {
    event: {
      team_id: string;
      environment: string;
      id: string;
      event_type: string;
      user_id: string | null;
      client_user_id: string | null;
      data: Buffer;
      created_at: Date;
      /** Of the request or job that caused it. Without traces: null. */
      traceparent: ColumnType<string | null, string | null | undefined>;
      /** Of the request that caused it; null if a job did. */
      request_id: Generated<string | null>;
      position: ColumnType<number | null, undefined, number>;
    };
    event_log_head: {
      team_id: string;
      environment: string;
      last_position: number;
      /** The highest position that the retention removed. */
      removed_to: Generated<number>;
    };
    team_environment: {
      team_id: string;
      environment: string;
      settings: unknown;
      features: string[];
      clock_offset_ms: Generated<number>;
      created_at: Date;
      /** Whether the app schemes of link tokens of an earlier version are not registered yet. */
      redirect_schemes_due: Generated<boolean>;
    };
  }
}
