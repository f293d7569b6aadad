import { z } from 'zod';

/** Settings for scheduled backups. */
export const backupSettings = {
  BACKUP_SCHEDULE: z
    .string()
    .regex(
      /^(?:(?:[01]\d|2[0-3]):[0-5]\d|[1-9]\d{0,2}h)$/,
      'expected a time of day in UTC such as 03:00, or an interval such as 6h',
    )
    .optional()
    .describe(
      'When the service writes a backup: every day at a time in UTC (`03:00`), or at an interval in hours (`6h`). Default: never.',
    ),
  BACKUP_FOLDER: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder for scheduled backups, which all workers share. Default: `backups/` in the file storage (S3_BUCKET or DATA_DIR/files).',
    ),
  BACKUP_KEEP_COUNT: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(7)
    .describe('How many of the newest scheduled backups are kept, however old they are.'),
  BACKUP_KEEP_DAYS: z.coerce
    .number()
    .int()
    .min(0)
    .max(36_500)
    .default(7)
    .describe('For how many days scheduled backups are kept, however many they are.'),
  BACKUP_VERIFY: z
    .enum(['off', 'daily', 'weekly', 'monthly'])
    .default('off')
    .describe('How often a worker restores the latest backup into a temporary database and checks it.'),
};
