import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../builds/paths.mjs';

const PACKAGE = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/**
 * The packages of others that a bundle contains, sorted by folder.
 *
 * @param {readonly string[]} inputs Bundled files, as paths from the root.
 * @returns {Promise<{ folder: string, name: string, version: string, license?: string }[]>} The folders are paths from the root.
 */
export async function readBundledPackages(inputs) {
  const folders = new Set(inputs.flatMap((file) => PACKAGE.exec(file)?.[0] ?? []));
  return Promise.all(
    [...folders].toSorted().map(async (folder) => {
      const text = await readFile(join(ROOT, folder, 'package.json'), 'utf8');
      const { name, version, license } = JSON.parse(text);
      return { folder, name, version, license };
    }),
  );
}
