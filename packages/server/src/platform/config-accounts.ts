import { z } from 'zod';

/** The lifetime of members' sessions. */
export const accountSettings = {
  SESSION_IDLE_MINUTES: z.coerce
    .number()
    .int()
    .min(1)
    .max(1440)
    .default(15)
    .describe('Minutes without a request after which the session of a member ends.'),
  SESSION_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .max(720)
    .default(12)
    .describe('Hours after sign-in when the session of a member ends, however active it is.'),
};
