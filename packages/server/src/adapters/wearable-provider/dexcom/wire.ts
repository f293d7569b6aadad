import { z } from 'zod';
import { lenientList, Timestamp, Str } from '../wire.ts';

/** Responses of Dexcom's API v3. */
export const createRecordsSchema = <T>(item: z.ZodType<T>) =>
  z.object({ userId: Str, records: lenientList(item) });

const recorded = {
  recordId: z.string().min(1),
  systemTime: Timestamp,
  displayTime: Timestamp,
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
