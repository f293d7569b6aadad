import type { Generated } from 'kysely';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { SummaryResource } from '../../readings/readings.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    wearable_summary: TenantColumns & {
      id: string;
      user_id: string;
      resource: SummaryResource;
      provider: string;
      key: string;
      source_id: number;
      source_type: string;
      app_id: string | null;
      device_id: string | null;
      day: string;
      at: Date;
      /** Encrypted: the body, see body-schemas.ts. */
      body: Buffer;
      /** Encrypted: the provider's payload. */
      raw: Buffer | null;
      digest: Buffer;
      /** Whether the provider's detail of it was requested. */
      is_detailed: Generated<boolean>;
      created_at: Date;
      updated_at: Date;
    };
    workout_stream: TenantColumns & {
      workout_id: string;
      points: number;
      /** Encrypted: see stream-columns.ts. */
      columns: Buffer;
      digest: Buffer;
      created_at: Date;
      updated_at: Date;
    };
  }
}
