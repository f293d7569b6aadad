import { mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY_FOLDER = '/dev/shm';
const REQUIRED_BYTES = 4e9;
/** Three hours, longer than any run. */
const STALE_AFTER_MS = 10_800_000;

/**
 * Creates a folder in memory (/dev/shm) if there is enough space, otherwise a temporary folder. Every test file copies
 * a database, which creates a thousand files: half a second on a typical disk, a twentieth of that in memory. Also
 * removes folders of killed runs, which would fill the memory.
 */
export async function createMemoryFolder(prefix: string): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY_FOLDER).catch(() => ({ bavail: 0, bsize: 0 }));
  if (bavail * bsize < REQUIRED_BYTES) return mkdtemp(join(tmpdir(), prefix));
  await removeStale(prefix);
  return mkdtemp(join(MEMORY_FOLDER, prefix));
}

async function removeStale(prefix: string): Promise<void> {
  const long = Date.now() - STALE_AFTER_MS;
  for (const name of await readdir(MEMORY_FOLDER)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(MEMORY_FOLDER, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
    // Folders of other users cannot be removed.
    if (mtimeMs < long) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}
