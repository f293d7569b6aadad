import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { databaseFiles } from './database-files.ts';

it('finds the test files that reach the database server of the run, directly or through imports', async () => {
  const root = await mkdtemp(join(tmpdir(), 'aliquot-database-files-'));
  const files = {
    'packages/direct.test.ts': "const { connection } = inject('server');",
    'packages/through-imports.test.ts': "import { open } from '../tools/middle.ts';",
    'packages/dynamic.test.ts': "const { open } = await import('../tools/middle.ts');",
    'packages/pure.test.ts': "import { add } from './add.ts';",
    'packages/add.ts': "import { inject } from 'vitest'; inject('folder');",
    'tools/middle.ts': "import { openAll } from './opens.ts';\nexport const open = openAll;",
    // Two files that import each other must not keep the search from ending.
    'tools/opens.ts': "import type {} from './middle.ts';\nexport const openAll = () => inject('server');",
    'tools/none.test.ts': "import { gone } from './no-such-file.ts';",
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  expect(await databaseFiles(root)).toEqual([
    'packages/direct.test.ts',
    'packages/dynamic.test.ts',
    'packages/through-imports.test.ts',
  ]);
  await rm(root, { recursive: true });
});
