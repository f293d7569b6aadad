import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryFolder } from '../packages/server/test/memory-folder.ts';
import type { BenchSize } from '../tools/bench/bench-case.ts';
import type { CleanupTasks } from '../tools/stage/cleanup.ts';

/** A stage's folder: on disk, as in production, or in memory for quick runs, whose figures do not count. */
export async function openFolder(name: string, cleanups: CleanupTasks, size: BenchSize): Promise<string> {
  const prefix = `aliquot-bench-${name}-`;
  const folder = size === 'quick' ? await createMemoryFolder(prefix) : await mkdtemp(join(tmpdir(), prefix));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
