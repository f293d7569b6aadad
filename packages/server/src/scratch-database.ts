import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScratchDatabase } from './backup/backup.ts';
import { buildApp } from './compose.ts';
import type { Clock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { openDeploymentKey } from './platform/crypto/deployment-key.ts';
import { openProviderKeyring } from './platform/crypto/keyring.ts';
import type { KeyProvider } from './platform/crypto/key-provider.ts';
import { migrate } from './platform/db/migrate.ts';
import { openPools } from './platform/db/open.ts';
import { schemaReleaseOf } from './platform/db/schema-version.ts';
import {
  findRunningEmbeddedPostgres,
  startEmbeddedPostgres,
} from './platform/embedded-postgres/embedded-postgres.ts';
import { createNotifier } from './platform/jobs/notifier.ts';
import { silentTelemetry } from './platform/telemetry/telemetry.ts';
import type { Log } from './platform/log.ts';

interface ScratchOptions {
  readonly config: Config;
  readonly log: Log;
  readonly root: URL;
  readonly clock: Clock;
  /** Open the keys of the backup. */
  readonly providers: { readonly provider: KeyProvider; readonly additional: readonly KeyProvider[] };
}

const FOLDER = 'backup-verification';
const POOL = 4;
/** Nothing in it has to survive a power failure. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

/**
 * Starts an empty embedded database in a folder of its own in DATA_DIR, which is deleted at the end; what a killed
 * process left there is deleted first. Throws while another process uses it.
 */
export async function openScratchDatabase(options: ScratchOptions): Promise<ScratchDatabase> {
  const { config, log, root, clock, providers } = options;
  const dataDir = join(config.DATA_DIR, FOLDER);
  const supervisorLog = (message: string) => log.debug({ part: 'backup-verification' }, message);
  await mkdir(dataDir, { recursive: true });
  if (await findRunningEmbeddedPostgres({ dataDir, log: supervisorLog }))
    throw new Error(`Another process verifies a backup at the moment, in ${dataDir}`);
  await rm(dataDir, { recursive: true, force: true });
  await mkdir(dataDir);
  // The server may run as another user, who must be able to walk in; its own folder inside is closed.
  await chmod(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir, log: supervisorLog, settings: SETTINGS });
  const pools = openPools(postgres.connection, { size: POOL, driver: config.DATABASE_DRIVER }, log);
  const close = async () => {
    await pools.close();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await migrate(pools.ownerPool, schemaReleaseOf(root), log);
    const { provider, additional } = providers;
    const limits = { keysMax: config.KEY_CACHE_SIZE, lifetimeMs: Infinity };
    const scratch = { ...config, DATABASE_URL: undefined, S3_BUCKET: undefined, DATA_DIR: dataDir };
    const notifier = createNotifier();
    const build = (deploymentKey: Buffer) => {
      const keyring = openProviderKeyring(pools.db, { provider, additional, deploymentKey, ...limits });
      const platform = { config: scratch, log, clock, keyring, db: pools.db, notifier };
      return buildApp({ ...platform, telemetry: silentTelemetry }, root);
    };
    return {
      // A restore derives no key.
      app: build(Buffer.alloc(32)),
      openRestored: async () => build(await openDeploymentKey(pools.db, provider, additional)),
      ownerPool: pools.ownerPool,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
