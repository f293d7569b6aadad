import { z } from 'zod';

/** A setting that is a reachable URL of the given form. `expected` is the error message. */
export const reachableUrl = (form: RegExp, expected: string) =>
  z
    .string()
    .regex(form, { error: expected, abort: true })
    .refine((text) => isReachable(text), expected);

/** Port 0 is never reachable. */
const isReachable = (text: string): boolean => URL.canParse(text) && new URL(text).port !== '0';
