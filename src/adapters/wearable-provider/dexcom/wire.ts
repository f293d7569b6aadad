import { z } from 'zod';
import { listOf, Moment, Str } from '../wire.ts';

/** What Dexcom answers, API v3. */
export const recordsOf = <T>(item: z.ZodType<T>) => z.object({ userId: Str, records: listOf(item) });

const recorded = {
  recordId: z.string().min(1),
  systemTime: Moment,
  displayTime: Moment,
  transmitterId: Str,
  transmitterGeneration: Str,
  value: z.union([z.number(), z.string()]).nullish(),
  unit: Str,
};

export const DexcomGlucose = z.looseObject(recorded);
export type DexcomRecord = z.output<typeof DexcomGlucose>;

export const DexcomEvent = z.looseObject({
  ...recorded,
  eventType: z.string(),
  eventSubType: Str,
  eventStatus: Str,
});
export type DexcomEvent = z.output<typeof DexcomEvent>;

export const DexcomRange = z.object({ userId: Str });
