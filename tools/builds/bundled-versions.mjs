import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';

const read = (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

/**
 * The installed versions of the packages that a build contains, which are part of its name. Only the dashboard contains
 * packages of others.
 */
export const bundledVersions = () =>
  Object.keys(read('packages/dashboard/package.json').dependencies).map(
    (name) => `${name}@${read(`node_modules/${name}/package.json`).version}`,
  );
