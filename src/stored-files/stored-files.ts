import type { App } from '../app.ts';
import { inTenant } from '../app.ts';
import { HOUR, later } from '../platform/clock.ts';
import { openFile, sealFile, type FilePlace } from '../platform/crypto/sealed-file.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { startLoop, type Loop } from '../platform/jobs/loop.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { FileStore, StrayFile } from './file-store.ts';

export { openFileRows, type StrayFile } from './file-store.ts';

/** An upload that takes longer has come to nothing. */
const STRAY_AFTER_MS = HOUR;
const TIDY_EVERY_MS = 60_000;
const TIDY_BATCH = 100;
const RETRY_AFTER_SECONDS = 10;

interface Family {
  readonly folder: string;
  readonly store: FileStore;
}

interface Which {
  readonly tenant: { readonly teamId: string; readonly environment: string };
  readonly id: string;
}

const keyIn = ({ folder }: Family, { tenant, id }: Which): string =>
  `${folder}/${tenant.teamId}/${tenant.environment}/${id}`;

const placeIn = async (family: Family, app: App, file: StrayFile): Promise<FilePlace> => ({
  cipher: await app.keyring.of(file.tenant),
  name: keyIn(family, file),
});

/** The sealed files of a slice in the file storage, below a folder of its own. */
export function openFiles(folder: string, store: FileStore) {
  const family = { folder, store };
  return {
    keyOf: (tenant: Which['tenant'], id: string): string => keyIn(family, { tenant, id }),
    /**
     * Writes a file into the storage, sealed as it comes; answers its id. It is noted before its first byte, so that
     * whatever happens, somebody knows of it: if it comes to belong to nothing it is removed after an hour.
     */
    keep: async (app: App, tenant: Tenant, bytes: AsyncIterable<Buffer>): Promise<string> => {
      const file = { tenant, id: newId() };
      const madeAt = app.clock.now();
      await inTenant(app, tenant, (work) => store.insertFile(work, file.id, madeAt));
      await write(family, app, { file, bytes });
      return file.id;
    },
    /** The bytes of a file in clear, as they come. Throws unless every one of them is as it was written. */
    bytesOf: async function* (app: App, tenant: Tenant, id: string): AsyncGenerator<Buffer> {
      const place = await placeIn(family, app, { tenant, id });
      yield* openFile(place, app.fileStorage.get(place.name));
    },
    /** Removes those of the files that belong to nothing. */
    drop: async (app: App, tenant: Tenant, ids: readonly string[]): Promise<void> => {
      const strays = await inTenant(app, tenant, (work) => store.listNobodys(work, ids));
      const files = strays.map((id) => ({ tenant, id }));
      await removeAll(family, app, files);
    },
    clean: (app: App): Promise<boolean> => clean(family, app),
    /** Removes files that belong to nothing: of uploads that were cut off, and of users who were erased. */
    startCleaner: (app: App): Loop =>
      startLoop(app, { name: folder, everyMs: TIDY_EVERY_MS, round: () => clean(family, app) }),
  };
}

interface Writing {
  readonly file: StrayFile;
  readonly bytes: AsyncIterable<Buffer>;
}

async function write(family: Family, app: App, { file, bytes }: Writing): Promise<void> {
  try {
    await app.fileStorage.put(keyIn(family, file), sealFile(await placeIn(family, app, file), bytes));
  } catch (error) {
    if (error instanceof DomainError) throw error;
    app.log.warn({ err: error }, 'a file could not be written to the file storage');
    throw new DomainError('unavailable', 'The file storage cannot be reached', RETRY_AFTER_SECONDS);
  }
}

async function removeAll(family: Family, app: App, files: readonly StrayFile[]): Promise<void> {
  for (const file of files) {
    await app.fileStorage.remove(keyIn(family, file));
    await asSystem(app.db, (tx) => family.store.deleteFile(tx, file));
    // Once more, for who sealed it anew in between; he looks afterwards whether it is still to be there.
    await app.fileStorage.remove(keyIn(family, file));
  }
}

/** Answers whether there may be more. */
async function clean(family: Family, app: App): Promise<boolean> {
  const before = later(app.clock.now(), -STRAY_AFTER_MS);
  const strays = await asSystem(app.db, (tx) => family.store.listStrays(tx, before, TIDY_BATCH));
  await removeAll(family, app, strays);
  return strays.length === TIDY_BATCH;
}
