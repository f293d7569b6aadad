import { access } from 'node:fs/promises';
import { describeKey, fileSource, findBackup, listBackups, verifyBackup } from '../backup/backup.ts';
import { createBackupStorage, openKeyProviders } from '../compose.ts';
import { systemClock } from '../platform/clock.ts';
import { makeFolder } from '../platform/folder.ts';
import { openScratchDatabase } from '../scratch-database.ts';
import type { BootOptions } from '../service.ts';
import { requireKey } from './require-key.ts';
import { formatTable } from './terminal/terminal.ts';

/** Lists the scheduled backups. Reads only their headers: no database and no key are needed. */
export async function listScheduled({ config }: BootOptions): Promise<void> {
  const backups = await listBackups(createBackupStorage(config));
  if (backups.length === 0) {
    process.stdout.write('There is no scheduled backup.\n');
    return;
  }
  const rows = backups.map(({ name, bytes, header }) => [
    name,
    String(bytes),
    header?.provider ?? 'unreadable',
    header?.fingerprint ?? '',
    header?.location ?? '',
  ]);
  process.stdout.write(formatTable(['NAME', 'BYTES', 'KEY PROVIDER', 'FINGERPRINT', 'KEY'], rows));
}

/** Restores a backup into a temporary database and checks it; throws with all problems. */
export async function verify(given: BootOptions, asked: string): Promise<void> {
  const { config, log, root } = given;
  await requireKey(config);
  const found = (await isFile(asked))
    ? { name: asked, source: fileSource(asked) }
    : await findBackup(createBackupStorage(config), asked);
  await makeFolder(config.DATA_DIR);
  const providers = await openKeyProviders(config);
  const openScratch = () => openScratchDatabase({ config, log, root, clock: systemClock, providers });
  const report = await verifyBackup(openScratch, found.source);
  process.stdout.write(
    `${found.name}: ${report.rows} rows of ${report.tables} tables and ${report.files} files, as of ${report.madeAt}\n` +
      `Opened with ${describeKey(report.header)}\n` +
      `${report.opened} encrypted values and files decrypted, ${report.auditLogs} audit log(s) verified\n`,
  );
  if (report.problems.length > 0)
    throw new Error(`The backup is not sound:\n${report.problems.map((one) => `  ${one}`).join('\n')}`);
}

const isFile = (path: string): Promise<boolean> =>
  path === 'latest'
    ? Promise.resolve(false)
    : access(path).then(
        () => true,
        () => false,
      );
