import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';

const FOLDERS = ['packages/report-reader'];

/** The package.json of every package that the service imports by its name, below the root of the repository. */
export const OWN_PACKAGE_FILES = FOLDERS.map((folder) => `${folder}/package.json`);

/**
 * What the packages of this repository export, by what is imported: such as `aliquot-report-reader/files`. esbuild
 * bundles these files; all other packages stay external.
 */
export const ownPackages = () =>
  Object.fromEntries(
    FOLDERS.flatMap((folder) => {
      const { name, exports } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
      return Object.entries(exports)
        .filter(([, file]) => file.endsWith('.ts'))
        .map(([path, file]) => [name + path.slice(1), join(ROOT, folder, file)]);
    }),
  );
