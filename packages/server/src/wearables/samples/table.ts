import type { Generated } from 'kysely';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    wearable_device: TenantColumns & {
      id: string;
      user_id: string;
      device_key: Buffer;
      provider: string;
      source_type: string;
      app_id: string | null;
      /** Encrypted: see DeviceDetails in devices.ts. */
      private: Buffer;
      created_at: Date;
      updated_at: Date;
    };
    wearable_source: TenantColumns & {
      id: Generated<number>;
      /** The order of the sources; null in those of earlier versions, which `id` orders. */
      number: Generated<number | null>;
      user_id: string;
      origin_key: Buffer;
      provider: string;
      type: string;
      app_id: string | null;
      device_id: string | null;
      workout_id: string | null;
      sport: string | null;
      created_at: Date;
    };
    sample_stream: TenantColumns & {
      id: Generated<number>;
      user_id: string;
      resource: string;
      type: string;
      provider: string;
      source_type: string;
      /** Lower bound of rows and segments; null if there are none. */
      rows_from: number | null;
      /** Exclusive upper bound of chunks; null if there are none. */
      chunks_to: number | null;
      /** Upper bound of all samples; null if there are none. */
      last_at: number | null;
      /** Incremented whenever a source or device of the user changes. */
      origins_version: Generated<number>;
    };
    sample: TenantColumns & {
      at: number;
      value: number | null;
      until: number | null;
      stream_id: number;
      source_id: number;
      zone_offset: number | null;
      type: string | null;
      /** Encrypted: `more` of the sample. */
      more: Buffer | null;
    };
    sample_segment: TenantColumns & {
      first_at: number;
      last_at: number;
      stream_id: number;
      source_id: number;
      count: number;
      /** Encrypted: see chunk.ts. */
      samples: Buffer;
    };
    sample_tally: TenantColumns & { bucket: Date; slot: number; received: number };
    sample_chunk: TenantColumns & {
      stream_id: number;
      first_at: number;
      last_at: number;
      count: number;
      /** Encrypted: see chunk.ts. */
      samples: Buffer;
    };
  }
}
