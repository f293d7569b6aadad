import { mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 4e9;
/** Three hours: no run takes so long. */
const FORGOTTEN_MS = 10_800_000;

/**
 * A new folder in memory, where there is a file system in it with room; else a temporary one. To copy the database that
 * every test file copies is to make a thousand files: half a second on many a disk, and a twentieth of that in memory.
 * What runs that were killed left behind would fill the memory, so it is removed here.
 */
export async function quickFolder(prefix: string): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  if (bavail * bsize < ROOM_BYTES) return mkdtemp(join(tmpdir(), prefix));
  await removeForgotten(prefix);
  return mkdtemp(join(MEMORY, prefix));
}

async function removeForgotten(prefix: string): Promise<void> {
  const long = Date.now() - FORGOTTEN_MS;
  for (const name of await readdir(MEMORY)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(MEMORY, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
    // Somebody else's stays.
    if (mtimeMs < long) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}
