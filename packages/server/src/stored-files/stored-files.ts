import type { App } from '../app.ts';
import { inTenant } from '../app.ts';
import { HOUR, later } from '../platform/clock.ts';
import { openFile, sealFile, type SealedFileContext } from '../platform/crypto/sealed-file.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { startLoop, type Loop } from '../platform/jobs/loop.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { FileStore, OrphanedFile } from './file-store.ts';

export { openFileStore } from './file-store.ts';

/** An upload that takes longer is considered failed. */
const ORPHAN_AFTER_MS = HOUR;
const CLEANUP_EVERY_MS = 60_000;
const CLEANUP_BATCH = 100;
const RETRY_AFTER_SECONDS = 10;

interface StoredFileFamily {
  readonly folder: string;
  readonly store: FileStore;
}

interface StoredFileKey {
  readonly tenant: { readonly teamId: string; readonly environment: string };
  readonly id: string;
}

const storageKeyOf = ({ folder }: StoredFileFamily, { tenant, id }: StoredFileKey): string =>
  `${folder}/${tenant.teamId}/${tenant.environment}/${id}`;

const openSealing = async (
  family: StoredFileFamily,
  app: App,
  file: OrphanedFile,
): Promise<SealedFileContext> => ({
  cipher: await app.keyring.cipherOf(file.tenant),
  name: storageKeyOf(family, file),
});

/** The sealed files of a module in the file storage, below its own folder. */
export function openStoredFiles(folder: string, store: FileStore) {
  const family = { folder, store };
  return {
    keyOf: (tenant: StoredFileKey['tenant'], id: string): string => storageKeyOf(family, { tenant, id }),
    /**
     * Streams a file into the storage, sealed, and returns its id. Its row is committed before the first byte, so no
     * failure leaves an unknown file: without an owner it is removed after an hour.
     */
    keep: async (app: App, tenant: Tenant, bytes: AsyncIterable<Buffer>): Promise<string> => {
      const file = { tenant, id: newId() };
      const madeAt = app.clock.now();
      await inTenant(app, tenant, (work) => store.insertFile(work, file.id, madeAt));
      await writeFile(family, app, { file, bytes });
      return file.id;
    },
    /** Streams the decrypted bytes of a file. Throws at the end unless every byte is as it was written. */
    bytesOf: async function* (app: App, tenant: Tenant, id: string): AsyncGenerator<Buffer> {
      const place = await openSealing(family, app, { tenant, id });
      yield* openFile(place, app.fileStorage.get(place.name));
    },
    /** Removes those of the files that have no owner. */
    drop: async (app: App, tenant: Tenant, ids: readonly string[]): Promise<void> => {
      const strays = await inTenant(app, tenant, (work) => store.lockOrphans(work, ids));
      const files = strays.map((id) => ({ tenant, id }));
      await removeAll(family, app, files);
    },
    clean: (app: App): Promise<boolean> => removeOrphans(family, app),
    /** Removes files without an owner: of aborted uploads and of erased users. */
    startCleaner: (app: App): Loop =>
      startLoop(app, { name: folder, everyMs: CLEANUP_EVERY_MS, iterate: () => removeOrphans(family, app) }),
  };
}

interface FileWrite {
  readonly file: OrphanedFile;
  readonly bytes: AsyncIterable<Buffer>;
}

async function writeFile(family: StoredFileFamily, app: App, { file, bytes }: FileWrite): Promise<void> {
  try {
    await app.fileStorage.put(
      storageKeyOf(family, file),
      sealFile(await openSealing(family, app, file), bytes),
    );
  } catch (error) {
    if (error instanceof DomainError) throw error;
    app.log.warn({ err: error }, 'cannot write a file to the file storage');
    throw new DomainError(
      'unavailable',
      'The file storage is unavailable: try again later',
      RETRY_AFTER_SECONDS,
    );
  }
}

async function removeAll(family: StoredFileFamily, app: App, files: readonly OrphanedFile[]): Promise<void> {
  for (const file of files) {
    await app.fileStorage.remove(storageKeyOf(family, file));
    await asSystem(app.db, (tx) => family.store.deleteFile(tx, file));
    // Again, in case a key rotation resealed the file in between; the rotation checks for the row afterwards.
    await app.fileStorage.remove(storageKeyOf(family, file));
  }
}

/** Returns whether there may be more. */
async function removeOrphans(family: StoredFileFamily, app: App): Promise<boolean> {
  const before = later(app.clock.now(), -ORPHAN_AFTER_MS);
  const strays = await asSystem(app.db, (tx) => family.store.listOrphans(tx, before, CLEANUP_BATCH));
  await removeAll(family, app, strays);
  return strays.length === CLEANUP_BATCH;
}
