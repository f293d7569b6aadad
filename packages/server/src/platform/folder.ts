import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder with mode 0700, and its missing parents. An error names the folder. Creates the parents one by one:
 * where a file system allows no folder, such as /proc, Node's recursive mkdir never returns.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makeWithParents(resolve(folder));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The folder ${folder} cannot be created (${reason})`, { cause: error });
  }
}

async function makeWithParents(folder: string): Promise<void> {
  if (await tryMakeFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) await makeWithParents(above);
  if (!(await tryMakeFolder(folder))) throw new Error(`no folder can be created in ${above}`);
}

/** False when the parent folder does not exist. */
async function tryMakeFolder(folder: string): Promise<boolean> {
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
