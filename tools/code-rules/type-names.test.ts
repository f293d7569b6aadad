import { describe, expect, it } from 'vitest';
import { findSharedTypeNames } from './type-names.ts';

const find = (...files: [path: string, text: string][]) =>
  findSharedTypeNames(files.map(([path, text]) => ({ path, text })));

describe('type names that are defined more than once', () => {
  it('are reported with each of their files, whatever kind of type they are', () => {
    expect(
      find(
        ['src/users/users.ts', '/** One. */\nexport interface Slot {}\n'],
        ['src/orders/orders.ts', 'type Slot = string;\n'],
        ['src/results/results.ts', 'export abstract class Slot {}\n'],
      ),
    ).toEqual([
      'src/orders/orders.ts:1: type-name: Slot is also defined in src/users/users.ts, src/results/results.ts',
      'src/results/results.ts:1: type-name: Slot is also defined in src/users/users.ts, src/orders/orders.ts',
      'src/users/users.ts:2: type-name: Slot is also defined in src/orders/orders.ts, src/results/results.ts',
    ]);
  });

  it.each<[string, [string, string][]]>([
    ['in one file', [['src/a/a.ts', 'export interface Slot {}\nexport interface Slot { b: 1 }']]],
    [
      'in tests',
      [
        ['src/a/a.ts', 'type Slot = 1;'],
        ['src/a/a.test.ts', 'type Slot = 1;'],
      ],
    ],
    [
      'outside the service',
      [
        ['src/a/a.ts', 'type Slot = 1;'],
        ['tools/a.ts', 'type Slot = 1;'],
      ],
    ],
    [
      'inside a function',
      [
        ['src/a/a.ts', 'type Slot = 1;'],
        ['src/b/b.ts', 'function b() {\n  type Slot = 1;\n}'],
      ],
    ],
    [
      'in comments and strings',
      [
        ['src/a/a.ts', 'type Slot = 1;'],
        ['src/b/b.ts', '/*\ntype Slot = 1;\n*/'],
      ],
    ],
    [
      'under longer names',
      [
        ['src/a/a.ts', 'type Slot = 1;'],
        ['src/b/b.ts', 'type SlotView = 1;'],
      ],
    ],
  ])('are allowed %s', (_where, files) => {
    expect(find(...files)).toEqual([]);
  });
});
