import { resolve } from 'node:path';
import { z } from 'zod';
import { writeBackup } from '../../backup/backup.ts';
import { defineOperation } from './operation.ts';

/** `path` is absolute, because the process that writes may have another working directory. `file` is how it was given. */
const Backup = z.object({ file: z.string(), path: z.string() });

export const backUp = defineOperation(Backup, async ({ app, ownerPool, output }, { file, path }) => {
  const { keyring } = app;
  await keyring.check();
  const { tables, rows, files, bytes } = await writeBackup(app, ownerPool, path);
  const { name, fingerprint, location } = keyring.provider;
  const where = name === 'file' ? resolve(location) : location;
  output.out(
    `${file}: ${rows} rows of ${tables} tables and ${files} files in ${bytes} bytes\n` +
      `It can be opened only with the key in ${where}: keep a copy of that key elsewhere.\n` +
      `Key provider ${name}, fingerprint ${fingerprint}\n`,
  );
});
