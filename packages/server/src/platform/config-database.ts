import { z } from 'zod';
import { reachableUrl } from './config-url.ts';
import { DRIVER_NAMES } from './db/driver.ts';

const DATABASE_EXPECTED = 'expected postgres://user:password@host:port/database';

export const databaseSettings = {
  DATABASE_URL: reachableUrl(/^postgres(ql)?:\/\//, DATABASE_EXPECTED)
    .optional()
    .describe('PostgreSQL 15 or newer. Without it an embedded PostgreSQL 18 runs in DATA_DIR.'),
  DATABASE_POOL: z.coerce
    .number()
    .int()
    .min(2)
    .max(200)
    .default(10)
    .describe('Maximum database connections of this process.'),
  DATABASE_DRIVER: z
    .enum(DRIVER_NAMES)
    .default('fast')
    .describe(
      'How statements are sent: `fast` uses private interfaces of the database packages, `plain` only their public ones. The effects are the same.',
    ),
};
