import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const PLACES = ['in', 'done', 'failed', 'out'] as const;

/** The folders of a connection. Only its id is part of the path: nobody names folders of the machine by the API. */
export async function openFolder(
  root: string,
  connectionId: string,
): Promise<Record<(typeof PLACES)[number], string>> {
  const at = (name: string) => join(root, connectionId, name);
  for (const name of PLACES) await mkdir(at(name), { recursive: true, mode: 0o770 });
  return { in: at('in'), done: at('done'), failed: at('failed'), out: at('out') };
}

/** Puts a file there whole: who looks into the folder never sees a part of it. The same name again replaces it. */
export async function dropFile(folder: string, name: string, bytes: Buffer): Promise<void> {
  const unfinished = join(folder, `.${name}.${randomUUID()}`);
  await writeFile(unfinished, bytes, { mode: 0o660, flush: true });
  await rename(unfinished, join(folder, name));
  await keepNames(folder);
}

/** The name outlives a power cut, too, where the system lets a folder be synced: what lies there is taken for delivered. */
async function keepNames(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
