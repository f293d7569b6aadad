import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const OWN = ['package.json', 'node_modules/', 'dist/', 'data/', 'src/'];

/**
 * Where the program, its packages and its data lie. Packages are looked for in all folders above, where npm puts those of a
 * program that is a package itself, and each may be a link.
 */
export async function readablePaths(root: URL): Promise<string[]> {
  const own = OWN.map((path) => fileURLToPath(new URL(path, root)));
  const packages = await Promise.all(foldersAbove(root).map(placeOf));
  return [...new Set([...own, ...packages.filter((place) => place !== undefined)])];
}

function foldersAbove(root: URL): URL[] {
  const folders: URL[] = [];
  for (let folder = new URL('./', root); ; folder = new URL('../', folder)) {
    folders.push(new URL('node_modules/', folder));
    if (folder.pathname === new URL('../', folder).pathname) return folders;
  }
}

const placeOf = async (folder: URL): Promise<string | undefined> => {
  const place = await realpath(folder).catch(() => undefined);
  return place && `${place}${sep}`;
};
