import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { currentLeases, takeLease } from './leases.mjs';
import { DIST } from './paths.mjs';

/** Builds that are kept without a lease, because a process that may not write to dist/ takes none. */
const KEPT = 10;
const BUILD = /^[0-9a-f]{20}(-\d+)?$/;
const TEMPORARY = /^temporary-[0-9a-f]+$/;

export const temporaryName = () => `temporary-${randomBytes(8).toString('hex')}`;

/** Removes unfinished builds of killed processes, and unused builds except the ten that were used last. */
export async function removeOldBuilds() {
  // List folders before leases: a folder gets its lease before it is created.
  const folders = readdirSync(DIST);
  const used = new Set(currentLeases().map(({ folder }) => folder));
  const unused = (pattern) => folders.filter((folder) => pattern.test(folder) && !used.has(folder));
  for (const folder of unused(TEMPORARY)) await rm(join(DIST, folder), { recursive: true, force: true });
  const old = unused(BUILD)
    .map((folder) => ({ folder, usedAt: timeOf(folder) }))
    .toSorted((one, other) => other.usedAt - one.usedAt)
    .slice(KEPT);
  for (const { folder } of old) await removeBuild(folder);
}

const timeOf = (folder) => statSync(join(DIST, folder), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Announces the removal, then looks for leases. A user takes a lease, then looks for announcements. So at least one of
 * the two sees the other and backs off, and no build is removed that a process has begun to use.
 */
async function removeBuild(folder) {
  const temporary = temporaryName();
  const announcement = takeLease(folder, 'removal');
  const lease = takeLease(temporary, 'use');
  try {
    const isUsed = currentLeases().some((each) => each.folder === folder && each.purpose === 'use');
    if (isUsed || !announcement || !lease) return;
    await rename(join(DIST, folder), join(DIST, temporary));
    await rm(join(DIST, temporary), { recursive: true, force: true });
  } finally {
    announcement?.();
    lease?.();
  }
}

/** A process calls this after it took its lease. */
export const isBeingRemoved = (folder) =>
  currentLeases().some((each) => each.folder === folder && each.purpose === 'removal');
