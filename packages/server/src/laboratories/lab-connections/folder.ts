import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const SUBFOLDERS = ['in', 'done', 'failed', 'out'] as const;

/** Creates the folders of a connection. The path contains only its id, so API callers cannot choose paths. */
export async function openConnectionFolder(
  root: string,
  connectionId: string,
): Promise<Record<(typeof SUBFOLDERS)[number], string>> {
  const at = (name: string) => join(root, connectionId, name);
  for (const name of SUBFOLDERS) await mkdir(at(name), { recursive: true, mode: 0o770 });
  return { in: at('in'), done: at('done'), failed: at('failed'), out: at('out') };
}

/** Writes a file atomically: readers of the folder never see a partial file. Replaces a file of the same name. */
export async function writeFileAtomically(folder: string, name: string, bytes: Buffer): Promise<void> {
  const unfinished = join(folder, `.${name}.${randomUUID()}`);
  await writeFile(unfinished, bytes, { mode: 0o660, flush: true });
  await rename(unfinished, join(folder, name));
  await syncFolder(folder);
}

/** Syncs the folder where the system allows it, because a written file counts as delivered. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
