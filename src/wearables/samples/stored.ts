import type { z } from 'zod';
import type { Device } from '../device.ts';

/** Where samples and summaries came from, as it is kept: once for each user. */
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

/** A device that was seen for the first time, or of which something else is known than before. */
export interface DeviceChange {
  readonly change: 'created' | 'updated';
  readonly device: z.output<typeof Device>;
}

export interface FoundSource extends StoredSource {
  /** Null where there is no device, or nothing new about it: it is told once. */
  readonly deviceChange: DeviceChange | null;
}
