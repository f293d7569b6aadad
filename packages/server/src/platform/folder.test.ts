import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from './folder.ts';

let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'aliquot-folder-'));
});
afterAll(() => rm(base, { recursive: true }));

describe('a private folder', () => {
  it.skipIf(process.platform === 'win32')(
    'is made with all that is above it, once as well as twice',
    async () => {
      const folder = join(base, 'a', 'b', 'c');
      await makeFolder(folder);
      await makeFolder(folder);
      const modes = await Promise.all([folder, join(base, 'a')].map(async (each) => (await stat(each)).mode));
      expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o700]);
    },
  );

  it('cannot be created in place of a file, nor below one', async () => {
    const file = join(base, 'file');
    await writeFile(file, '');
    for (const asked of [file, join(file, 'below')]) {
      await expect(makeFolder(asked)).rejects.toThrow(`The folder ${asked} cannot be created`);
    }
  });

  it.runIf(process.platform === 'linux')('cannot be created in /proc, and fails promptly', async () => {
    for (const asked of ['/proc/x', '/proc/x/y/z']) {
      await expect(makeFolder(asked)).rejects.toThrow(`The folder ${asked} cannot be created`);
    }
  });
});
