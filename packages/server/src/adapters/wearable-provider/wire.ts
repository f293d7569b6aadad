import { z } from 'zod';
import { parseInstant } from './times.ts';

/*
 * Schema parts for provider responses. Parsing is lenient: unused fields can be missing, and unknown fields are kept,
 * because the raw object is stored.
 */

export const Num = z.number().nullish();
export const Str = z.string().nullish();
export const Id = z.union([z.string().min(1), z.number()]).transform(String);
/** A timestamp string, with or without an offset. */
export const Timestamp = z
  .string()
  .refine((text) => !Number.isNaN(parseInstant(text).at), 'expected a timestamp');
/** Unix seconds, from 1970 to 2099. */
export const UnixSeconds = z.number().min(0).max(4_102_444_800);
/** A duration of an activity or sleep, up to about three years, in the given unit. */
export const createDurationSchema = (unitsInASecond: number) =>
  z
    .number()
    .min(0)
    .max(1e8 * unitsInASecond);

/**
 * A list that skips invalid items, so that one bad record does not block the rest. Fails if the list has items and all
 * are invalid.
 */
export const lenientList = <T>(item: z.ZodType<T>) =>
  z.array(z.unknown()).transform((items, context): T[] => {
    const read = items
      .map((one) => item.safeParse(one))
      .flatMap(({ success, data }) => (success ? [data] : []));
    if (items.length > 0 && read.length === 0) {
      context.addIssue({ code: 'custom', message: 'none of the items can be read' });
    }
    return read;
  });

export const roundTo = (value: number, digits = 0): number => Math.round(value * 10 ** digits) / 10 ** digits;
/** Rounds to an integer; null if the value is missing or not a safe integer. */
export function toIntegerOrNull(value: number | null | undefined): number | null {
  const rounded = value == null ? Number.NaN : roundTo(value);
  return Number.isSafeInteger(rounded) ? rounded : null;
}
/** `YYYY-MM-DD`; null for anything else. */
export const toDayOrNull = (text: string | null | undefined): string | null =>
  z.iso.date().safeParse(text).data ?? null;
export const toNullable = <T>(value: T | null | undefined): T | null => value ?? null;
export const toKilocalories = (kilojoules: number): number => roundTo(kilojoules / 4.184, 1);
