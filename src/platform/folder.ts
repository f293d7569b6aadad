import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder that only we may enter, with those above it, where it is not there yet. An error names the folder. Step
 * by step: where a file system takes no folder though there is one above, as /proc, Node's own way asks it for ever.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makeBelow(resolve(folder));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The folder ${folder} cannot be made (${reason})`, { cause: error });
  }
}

async function makeBelow(folder: string): Promise<void> {
  if (await isMade(folder)) return;
  const above = dirname(folder);
  if (above !== folder) await makeBelow(above);
  if (!(await isMade(folder))) throw new Error(`nothing can be made in ${above}`);
}

/** False where what is above it is not there. */
async function isMade(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return false;
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return true;
    throw error;
  }
}
