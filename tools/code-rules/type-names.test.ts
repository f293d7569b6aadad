import { describe, expect, it } from 'vitest';
import { findSharedTypeNames } from './type-names.ts';

const find = (...files: [path: string, text: string][]) =>
  findSharedTypeNames(files.map(([path, text]) => ({ path, text })));

describe('type names that are defined more than once', () => {
  it('are reported with each of their files, whatever kind of type they are', () => {
    expect(
      find(
        ['packages/server/src/users/users/users.ts', '/** One. */\nexport interface Slot {}\n'],
        ['packages/server/src/orders/orders.ts', 'type Slot = string;\n'],
        ['packages/server/src/results/results.ts', 'export abstract class Slot {}\n'],
      ),
    ).toEqual([
      'packages/server/src/orders/orders.ts:1: type-name: Slot is also defined in packages/server/src/users/users/users.ts, packages/server/src/results/results.ts',
      'packages/server/src/results/results.ts:1: type-name: Slot is also defined in packages/server/src/users/users/users.ts, packages/server/src/orders/orders.ts',
      'packages/server/src/users/users/users.ts:2: type-name: Slot is also defined in packages/server/src/orders/orders.ts, packages/server/src/results/results.ts',
    ]);
  });

  it.each<[string, [string, string][]]>([
    [
      'in one file',
      [['packages/server/src/a/a.ts', 'export interface Slot {}\nexport interface Slot { b: 1 }']],
    ],
    [
      'in tests',
      [
        ['packages/server/src/a/a.ts', 'type Slot = 1;'],
        ['packages/server/src/a/a.test.ts', 'type Slot = 1;'],
      ],
    ],
    [
      'outside the service',
      [
        ['packages/server/src/a/a.ts', 'type Slot = 1;'],
        ['tools/a.ts', 'type Slot = 1;'],
      ],
    ],
    [
      'inside a function',
      [
        ['packages/server/src/a/a.ts', 'type Slot = 1;'],
        ['packages/server/src/b/b.ts', 'function b() {\n  type Slot = 1;\n}'],
      ],
    ],
    [
      'in comments and strings',
      [
        ['packages/server/src/a/a.ts', 'type Slot = 1;'],
        ['packages/server/src/b/b.ts', '/*\ntype Slot = 1;\n*/'],
      ],
    ],
    [
      'under longer names',
      [
        ['packages/server/src/a/a.ts', 'type Slot = 1;'],
        ['packages/server/src/b/b.ts', 'type SlotView = 1;'],
      ],
    ],
  ])('are allowed %s', (_where, files) => {
    expect(find(...files)).toEqual([]);
  });
});
