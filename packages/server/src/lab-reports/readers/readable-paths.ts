import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findReportReader } from './find-report-reader.ts';

const OWN_PATHS = ['package.json', 'node_modules/', 'dist/', 'src/'];

/**
 * The paths that a worker process may read: the program, its packages, and the report reader with its data. Includes
 * node_modules in all parent folders, where npm puts dependencies if the program is itself a package. Symbolic links are
 * resolved.
 */
export async function readablePaths(root: URL): Promise<string[]> {
  const own = OWN_PATHS.map((path) => fileURLToPath(new URL(path, root)));
  const reader = findReportReader();
  const packages = await Promise.all(foldersAbove(root).map(resolveFolder));
  const folders = [reader && join(reader.folder, sep), ...packages].filter((place) => place !== undefined);
  return [...new Set([...own, ...folders])];
}

function foldersAbove(root: URL): URL[] {
  const folders: URL[] = [];
  for (let folder = new URL('./', root); ; folder = new URL('../', folder)) {
    folders.push(new URL('node_modules/', folder));
    if (folder.pathname === new URL('../', folder).pathname) return folders;
  }
}

const resolveFolder = async (folder: URL): Promise<string | undefined> => {
  const place = await realpath(folder).catch(() => undefined);
  return place && `${place}${sep}`;
};
