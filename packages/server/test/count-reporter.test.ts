import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

/** Each stands for a way in which a run goes wrong. What ends after the last test belongs to no test. */
const FILES: Readonly<Record<string, string>> = {
  'passes.test.js': `test('passes', () => {}); test.skip('is skipped', () => {});`,
  'test.test.js': `test('fails', () => { throw new Error('fault of a test'); });`,
  'suite.test.js': `describe('outer', () => { describe('inner', () => {
    afterAll(() => { throw new Error('fault after a suite'); });
    test('passes', () => {});
  }); });`,
  'file.test.js': `afterAll(() => { throw new Error('fault after a file'); }); test('passes', () => {});`,
  'import.test.js': `throw new Error('fault of an import');`,
};

describe('The counts at the end of a run', () => {
  let folder = '';
  let output = '';
  let code: number | null = null;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aliquot-count-'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'vitest.config.js'), 'export default { test: { globals: true } };');
    for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text);
    const args = [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--root',
      folder,
      `--reporter=${join(import.meta.dirname, 'count-reporter.ts')}`,
    ];
    await new Promise<void>((done) => {
      const child = execFile(process.execPath, args, { cwd: folder }, (_error, stdout, stderr) => {
        output = `${stdout}${stderr}`;
        code = child.exitCode;
        done();
      });
    });
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('count what failed outside of tests as well, and name it', () => {
    expect(output).toContain('\n3 passed, 4 failed, 1 skipped\n');
    expect(code).toBe(1);
  });

  it.each([
    ['test.test.js > fails', 'fault of a test'],
    ['suite.test.js > outer > inner', 'fault after a suite'],
    ['file.test.js', 'fault after a file'],
    ['import.test.js', 'fault of an import'],
  ])('name %s with its error', (name, error) => {
    expect(output).toContain(`failed: ${name}\n  ${error}`);
  });
});
