import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readablePaths } from './readable-paths.ts';

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'aliquot-readable-')));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const pathsOf = (root: string) => readablePaths(pathToFileURL(`${root}/`));

it('readable paths contain the real folder of packages when node_modules is a link', async () => {
  const [root, elsewhere] = [join(folder, 'linked'), join(folder, 'elsewhere')];
  await mkdir(root);
  await mkdir(elsewhere);
  await symlink(elsewhere, join(root, 'node_modules'));
  expect(await pathsOf(root)).toEqual(expect.arrayContaining([`${root}/dist/`, `${elsewhere}/`]));
});

it('readable paths contain the node_modules around the program, and nothing else of the host project', async () => {
  const root = join(folder, 'user/node_modules/aliquot');
  await mkdir(root, { recursive: true });
  const paths = await pathsOf(root);
  expect(paths).toContain(`${join(folder, 'user/node_modules')}/`);
  expect(paths).not.toContain(`${join(folder, 'user')}/`);
});
