import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseCover, readStatements } from './cover.ts';

const ran = (file: string, seconds: number, statements: string) => ({
  file,
  seconds,
  statements: new Set(statements.split('')),
});

describe('the cover of all statements', () => {
  it.each([
    ['nothing', [], []],
    ['a file that has what others have', [ran('a', 1, 'xy'), ran('b', 1, 'x'), ran('c', 1, 'y')], ['a']],
    ['every file with a statement of its own', [ran('a', 1, 'xy'), ran('b', 90, 'xz')], ['a', 'b']],
    [
      'cheap files before a costly one',
      [ran('a', 100, 'xy'), ran('b', 1, 'x'), ran('c', 1, 'y')],
      ['b', 'c'],
    ],
    ['no file without statements', [ran('a', 0, ''), ran('b', 0, 'x')], ['b']],
  ])('has %s', (_what, all, files) => {
    expect(chooseCover(all)).toEqual(files);
  });
});

describe('the log of statements', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aliquot-cover-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is joined over the databases of a file', async () => {
    const path = join(folder, 'statements.jsonl');
    const lines = [
      { file: '/root/a.test.ts', seconds: 1, statements: ['1', '2'] },
      { file: '/root/b.test.ts', seconds: 2, statements: ['1'] },
      { file: '/root/a.test.ts', seconds: 3, statements: ['2', '3'] },
    ];
    await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(await readStatements(path, '/root')).toEqual([
      { file: 'a.test.ts', seconds: 4, statements: new Set(['1', '2', '3']) },
      { file: 'b.test.ts', seconds: 2, statements: new Set(['1']) },
    ]);
  });

  it('is empty when there is none', async () => {
    expect(await readStatements(join(folder, 'missing.jsonl'), '/root')).toEqual([]);
  });
});
