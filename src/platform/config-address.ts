import { z } from 'zod';

/** An address of the given form that something can be reached by; `expected` names the form. */
export const address = (form: RegExp, expected: string) =>
  z
    .string()
    .regex(form, { error: expected, abort: true })
    .refine((text) => canReach(text), expected);

/** Nothing listens on port 0. */
const canReach = (text: string): boolean => URL.canParse(text) && new URL(text).port !== '0';
