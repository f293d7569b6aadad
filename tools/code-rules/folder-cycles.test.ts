import { describe, expect, it } from 'vitest';
import { findFolderCycles } from './folder-cycles.ts';

const find = (...files: [path: string, text: string][]) =>
  findFolderCycles(files.map(([path, text]) => ({ path: `packages/server/src/${path}`, text })));

const importing = (path: string) => `import { a } from '${path}';\n`;

describe('folders that import each other', () => {
  it('are reported with the imports that do', () => {
    expect(
      find(
        ['orders/orders.ts', importing('../results/results.ts')],
        ['results/a.ts', importing('../orders/b.ts')],
      ),
    ).toEqual([
      'packages/server/src/orders/orders.ts:1: folder-cycle: packages/server/src/orders imports packages/server/src/results, which imports it back',
      'packages/server/src/results/a.ts:1: folder-cycle: packages/server/src/results imports packages/server/src/orders, which imports it back',
    ]);
  });

  it.each<[string, [string, string][]]>([
    [
      'in a circle of three',
      [
        ['a/a.ts', importing('../b/b.ts')],
        ['b/b.ts', importing('../c/c.ts')],
        ['c/c.ts', importing('../a/other.ts')],
      ],
    ],
    [
      'inside a folder',
      [
        ['deep/er/a/a.ts', `const a = await import('../b/b.ts');`],
        ['deep/er/b/b.ts', `import type { A } from '../a/a.ts';`],
      ],
    ],
    [
      'through their subfolders',
      [
        ['a/inner/a.ts', importing('../../b/b.ts')],
        ['b/inner/b.ts', importing('../../a/a.ts')],
      ],
    ],
  ])('are found %s', (_where, files) => expect(find(...files).length).toBeGreaterThan(1));

  it.each<[string, [string, string][]]>([
    ['one way', [['a/a.ts', importing('../b/b.ts')]]],
    [
      'by a file beside them',
      [
        ['compose.ts', importing('./a/a.ts')],
        ['a/a.ts', importing('../compose.ts')],
      ],
    ],
    [
      'in tests',
      [
        ['a/a.test.ts', importing('../b/b.ts')],
        ['b/b.ts', importing('../a/a.ts')],
      ],
    ],
  ])('are not found %s', (_where, files) => expect(find(...files)).toEqual([]));
});
