/** Backs up everything that the service stores into one sealed file, and restores it into an empty database. */
export { fileSource, restoreBackup } from './restore.ts';
export { writeBackup, type BackupSummary } from './write.ts';
