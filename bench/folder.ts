import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quickFolder } from '../test/quick-folder.ts';
import type { BenchSize } from '../tools/bench/bench-case.ts';
import type { CleanupTasks } from '../tools/stage/cleanup.ts';

/** A folder of a stage: on the disk, as in life, or in memory where the figures do not count. */
export async function openFolder(name: string, cleanups: CleanupTasks, size: BenchSize): Promise<string> {
  const prefix = `aliquot-bench-${name}-`;
  const folder = size === 'quick' ? await quickFolder(prefix) : await mkdtemp(join(tmpdir(), prefix));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
