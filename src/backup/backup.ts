/** Backup: everything that the service keeps, in one sealed file, and back into an empty database. */
export { restoreBackup, type Restored } from './restore.ts';
export { writeBackup, type Backup } from './write.ts';
