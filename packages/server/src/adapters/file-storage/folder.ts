import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FileNotFoundError, type FileStorage, type StoredFileInfo } from './port.ts';

const KEY = /^[\w-]+(\/[\w-]+)*$/;
const PARTIAL_SUFFIX = '.half';

/** Files in a folder, readable only by their owner. Several processes can share it, also on a network file system. */
export function createFolderStorage(folder: string): FileStorage {
  const pathOf = (key: string) => {
    if (!KEY.test(key))
      throw new Error('Invalid file key: expected letters, digits, underscores, dashes and slashes');
    return join(folder, key);
  };
  return {
    put: async (key, pieces) => {
      const path = pathOf(key);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      try {
        await writeDurably(path + PARTIAL_SUFFIX, pieces);
        await rename(path + PARTIAL_SUFFIX, path);
      } catch (error) {
        await rm(path + PARTIAL_SUFFIX, { force: true });
        throw error;
      }
      await syncFolder(dirname(path));
    },
    get: (key) => readFile(pathOf(key), key),
    remove: async (key) => {
      const path = pathOf(key);
      await rm(path, { force: true });
      await rm(path + PARTIAL_SUFFIX, { force: true });
    },
    list: (name) => listFolder(pathOf(name), name),
    discardUnfinished: (key) => rm(pathOf(key) + PARTIAL_SUFFIX, { force: true }),
  };
}

async function* listFolder(path: string, name: string): AsyncGenerator<StoredFileInfo> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const entry of entries) {
    const key = `${name}/${entry.name}`;
    if (!entry.isFile() || !KEY.test(key)) continue;
    const size = await stat(join(path, entry.name)).then(
      (found) => found.size,
      () => undefined,
    );
    // Undefined: removed meanwhile.
    if (size !== undefined) yield { key, bytes: size };
  }
}

async function writeDurably(path: string, pieces: AsyncIterable<Buffer>): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    // Not `write`: on a full disk it can write part of a chunk without an error.
    for await (const piece of pieces) await file.writeFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the rename durable, on systems that can sync a folder. */
async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined;
  try {
    folder = await open(path, 'r');
    await folder.sync();
  } catch {
    // Windows cannot open folders.
  } finally {
    await folder?.close();
  }
}

async function* readFile(path: string, key: string): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(path)) yield piece as Buffer;
  } catch (error) {
    throw error instanceof Error && 'code' in error && error.code === 'ENOENT'
      ? new FileNotFoundError(key)
      : error;
  }
}
