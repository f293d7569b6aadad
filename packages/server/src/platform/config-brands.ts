import { z } from 'zod';

const Brand = z.string().regex(/^[a-z][a-z0-9]{0,30}$/, 'expected lower-case letters and digits');

/** Which brands the names of headers contain. */
export const brandSettings = {
  BRAND: Brand.default('service').describe('Brand part of header names: x-<BRAND>-api-key.'),
  ADDITIONAL_BRANDS: z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .pipe(z.array(Brand).max(10))
    .default(['vital', 'junction'])
    .describe(
      'Further brands whose headers of keys are read, separated by commas: those that client SDKs send.',
    ),
};
