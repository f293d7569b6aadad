/**
 * Backs up everything that the service stores into one sealed file, on command or by a schedule, restores it into an
 * empty database, or one team into a running house, and verifies it by a restore into a temporary one.
 */
export { describeKey } from './header.ts';
export { fileSource, restoreBackup } from './restore.ts';
export { describeBackupStatus, startBackups } from './scheduled.ts';
export { findBackup, listBackups } from './stored-backups.ts';
export { listIds } from './team-checks.ts';
export { releaseTeam, restoreTeam, type RestoredTeam } from './team-restore.ts';
export { verifyBackup, type ScratchDatabase } from './verify.ts';
export { writeBackup, type BackupSummary } from './write.ts';
