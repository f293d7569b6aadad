import { fileSource, findBackup, restoreBackup } from '../backup/backup.ts';
import { openApp, type BootOptions } from '../service.ts';
import { requireKey } from './require-key.ts';

/** Restores a file, or a scheduled backup by its name, to an empty database. */
export async function restore(
  given: BootOptions,
  { file, scheduled }: { file: string; scheduled: boolean },
): Promise<void> {
  await requireKey(given.config);
  const opened = await openApp(given);
  try {
    const { app, pools } = opened;
    const source = scheduled ? (await findBackup(app.backupStorage, file)).source : fileSource(file);
    const { madeAt, rows, files } = await restoreBackup(app, pools.ownerPool, { source });
    process.stdout.write(`${rows} rows and ${files} files, as of ${madeAt}\n`);
    if (given.config.ENCRYPTION_KEY !== undefined) {
      process.stdout.write('Start the service with the same ENCRYPTION_KEY.\n');
    }
  } finally {
    await opened.close();
  }
}
