import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NoSuchFile, type FileStorage } from './port.ts';

const KEY = /^[\w-]+(\/[\w-]+)*$/;
const HALF = '.half';

/** Files in a folder, readable for their owner only. Several processes may share it, over whatever file system. */
export function folderStorage(folder: string): FileStorage {
  const pathOf = (key: string) => {
    if (!KEY.test(key)) throw new Error('A key of a file is made of letters, digits, dashes and slashes');
    return join(folder, key);
  };
  return {
    put: async (key, pieces) => {
      const path = pathOf(key);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      try {
        await write(path + HALF, pieces);
        await rename(path + HALF, path);
      } catch (error) {
        await rm(path + HALF, { force: true });
        throw error;
      }
      await syncFolder(dirname(path));
    },
    get: (key) => read(pathOf(key), key),
    remove: async (key) => {
      const path = pathOf(key);
      await rm(path, { force: true });
      await rm(path + HALF, { force: true });
    },
  };
}

async function write(path: string, pieces: AsyncIterable<Buffer>): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    // Not `write`: where the disk is full, it may take a part of a piece and say no more than how much.
    for await (const piece of pieces) await file.writeFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The new name is on the disk, too, where the system lets a folder be synced. */
async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined;
  try {
    folder = await open(path, 'r');
    await folder.sync();
  } catch {
    // Windows opens no folders.
  } finally {
    await folder?.close();
  }
}

async function* read(path: string, key: string): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(path)) yield piece as Buffer;
  } catch (error) {
    throw error instanceof Error && 'code' in error && error.code === 'ENOENT' ? new NoSuchFile(key) : error;
  }
}
