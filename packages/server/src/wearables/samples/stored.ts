import type { z } from 'zod';
import type { Device } from '../../readings/schema.ts';

/** A stored source of samples and summaries. Each user has their own. */
export interface StoredSource {
  readonly id: number;
  /** The slug of the provider. */
  readonly provider: string;
  /** One of SOURCE_TYPES. */
  readonly type: string;
  readonly appId: string | null;
  readonly deviceId: string | null;
  readonly workoutId: string | null;
  readonly sport: string | null;
}

/** A device that was created or changed. */
export interface DeviceChange {
  readonly change: 'created' | 'updated';
  readonly device: z.output<typeof Device>;
}

export interface UpsertedSource extends StoredSource {
  /** Null if there is no device or no change: each change is reported once. */
  readonly deviceChange: DeviceChange | null;
}
