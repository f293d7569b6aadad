import type pg from 'pg';
import type { App } from '../app.ts';
import { sealVerifier } from '../identity/access-log/access-log.ts';
import { verifyAuditLog } from '../identity/management/management.ts';
import type { BackupHeader } from './header.ts';
import type { BackupSource } from './inspect.ts';
import { restoreBackup } from './restore.ts';
import { checkSealedValues, createSampleStorage } from './verify-sample.ts';

/** An empty, migrated temporary database. */
export interface ScratchDatabase {
  /** An app to restore with. */
  readonly app: App;
  /** An app with the deployment key of the backup that was restored. Throws if its key cannot be unwrapped. */
  openRestored(): Promise<App>;
  readonly ownerPool: pg.Pool;
  /** Stops the database and deletes it. */
  close(): Promise<void>;
}
export type ScratchOpener = () => Promise<ScratchDatabase>;

interface BackupVerification {
  readonly header: BackupHeader;
  readonly madeAt: string;
  readonly tables: number;
  readonly rows: number;
  readonly files: number;
  /** Values and files that were decrypted. */
  readonly opened: number;
  /** Audit logs, one per organization. */
  readonly auditLogs: number;
  /** What is wrong; never a value. */
  readonly problems: readonly string[];
}

/**
 * Restores a backup into a temporary database and checks it: every row is compared with the backup, a sample of the
 * encrypted values of every column and of the files is decrypted, and the audit logs are verified. Throws if the backup
 * cannot be restored at all. The live database is not touched.
 */
export async function verifyBackup(
  openScratch: ScratchOpener,
  source: BackupSource,
): Promise<BackupVerification> {
  const scratch = await openScratch();
  try {
    const files = createSampleStorage();
    const restoring = { ...scratch.app, fileStorage: files.storage };
    const restored = await restoreBackup(restoring, scratch.ownerPool, { source, compares: true });
    const app = { ...(await scratch.openRestored()), fileStorage: files.storage };
    const sample = await checkSealedValues(app, scratch.ownerPool, files.sampled);
    // Lines that were recent then need no seal yet.
    const clock = { now: () => new Date(restored.madeAt) };
    const audit = await checkAuditLogs({ ...app, clock });
    return {
      ...restored,
      opened: sample.opened,
      auditLogs: audit.count,
      problems: [...sample.problems, ...audit.problems],
    };
  } finally {
    await scratch.close();
  }
}

async function checkAuditLogs(app: App): Promise<{ count: number; problems: string[] }> {
  const problems: string[] = [];
  let count = 0;
  for await (const { orgId, broken } of verifyAuditLog(app, [], sealVerifier)) {
    count += 1;
    if (broken) problems.push(`audit log of ${orgId}, line ${broken.position}: ${broken.reason}`);
  }
  return { count, problems };
}
