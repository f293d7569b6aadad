import { z } from 'zod';
import { instantOf } from './times.ts';

/*
 * Parts of what providers answer. They are read loosely: what is not needed may be missing, and what is not known is
 * left as it is, for the raw object is kept.
 */

export const Num = z.number().nullish();
export const Str = z.string().nullish();
export const Id = z.union([z.string().min(1), z.number()]).transform(String);
/** A moment as it is written, with or without an offset. */
export const Moment = z.string().refine((text) => !Number.isNaN(instantOf(text).at), 'expected a moment');
/** A moment in seconds since 1970, of this century or the last. */
export const Second = z.number().min(0).max(4_102_444_800);
/** A time that somebody may have moved or slept: three years, in the unit that is at hand. */
export const Lasting = (unitsInASecond: number) =>
  z
    .number()
    .min(0)
    .max(1e8 * unitsInASecond);
/** Numbers that some providers write as text. */
export const Written = z.coerce.number();

/**
 * A list whose items are read one by one: one that cannot be read is left out, for one odd record must not keep a user
 * from everything else. Where none of them can be read it is no list of these.
 */
export const listOf = <T>(item: z.ZodType<T>) =>
  z.array(z.unknown()).transform((items, context): T[] => {
    const read = items
      .map((one) => item.safeParse(one))
      .flatMap(({ success, data }) => (success ? [data] : []));
    if (items.length > 0 && read.length === 0) {
      context.addIssue({ code: 'custom', message: 'none of the items can be read' });
    }
    return read;
  });

export const round = (value: number, digits = 0): number => Math.round(value * 10 ** digits) / 10 ** digits;
/** Rounded, for fields that are whole numbers; null where there is none, or one that cannot be. */
export function whole(value: number | null | undefined): number | null {
  const rounded = value == null ? Number.NaN : round(value);
  return Number.isSafeInteger(rounded) ? rounded : null;
}
/** `YYYY-MM-DD`; null for anything else. */
export const dayOrNull = (text: string | null | undefined): string | null =>
  z.iso.date().safeParse(text).data ?? null;
export const orNull = <T>(value: T | null | undefined): T | null => value ?? null;
export const kilojoulesToKcal = (kilojoules: number): number => round(kilojoules / 4.184, 1);
