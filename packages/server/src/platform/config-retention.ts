import { z } from 'zod';

/** How long data must be kept at least. */
export const retentionSettings = {
  ACCESS_LOG_RETENTION_MIN_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(36_500)
    .default(2192)
    .describe(
      'Fewest days that a team may keep its access log in production. Default: six years (45 CFR 164.316(b)(2)(i)).',
    ),
};
