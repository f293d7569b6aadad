import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const root = new URL('../../../../', import.meta.url);
const readJson = async (path: string) => JSON.parse(await readFile(new URL(path, root), 'utf8'));

/** The packages whose private interfaces are used: here, and graphile-worker's in migration 0057. */
const PACKAGES = ['pg', 'kysely', 'graphile-worker'];

it.each(PACKAGES)('the version of %s is pinned exactly, and is the one that is installed', async (name) => {
  const [own, lock, installed] = await Promise.all([
    readJson('package.json'),
    readJson('../../package-lock.json'),
    readJson(`../../node_modules/${name}/package.json`),
  ]);
  expect(own.dependencies[name]).toBe(installed.version);
  expect(lock.packages['packages/server'].dependencies[name]).toBe(installed.version);
});
