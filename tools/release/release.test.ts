import { execFile, execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INTERFACE_VERSION } from '../../packages/server/src/openapi.ts';
import { cutChangelog, isNewer, notesOf, withVersion } from './changelog.ts';

const root = join(import.meta.dirname, '../..');
const COPIED = [
  'docs/reference/openapi.json',
  'CHANGELOG.md',
  'deploy/helm/aliquot/Chart.yaml',
  'package.json',
  'package-lock.json',
  'packages/server/package.json',
  'packages/report-reader/package.json',
  'packages/dashboard/package.json',
];

describe('A release', () => {
  let folder = '';
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  const tsx = createRequire(import.meta.url).resolve('tsx/cli');
  const release = async (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> => {
    const env = { ...process.env, RELEASE_ROOT: folder };
    return promisify(execFile)(process.execPath, [tsx, join(root, 'tools/release/release.ts'), ...args], {
      env,
    }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aliquot-release-'));
    for (const path of COPIED) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await copyFile(join(root, path), join(folder, path));
    }
    git('init', '--quiet', '--initial-branch=main');
    git('config', 'user.name', 'Test');
    git('config', 'user.email', 'test@example.com');
    git('config', 'commit.gpgsign', 'false');
    git('add', '.');
    git('commit', '--quiet', '-m', 'Start');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is refused for a version that is not the next, and in a changed checkout, and writes nothing', async () => {
    expect(await release('0.1.0')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('expected a version after'),
    });
    await writeFile(join(folder, 'new.txt'), '');
    expect(await release('9.0.0')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('without changes'),
    });
    await rm(join(folder, 'new.txt'));
    expect(git('status', '--porcelain')).toBe('');
    expect(git('tag')).toBe('');
  });

  it('moves the changelog, writes the version everywhere, commits and tags', async () => {
    const before = notesOf(await readFile(join(folder, 'CHANGELOG.md'), 'utf8'), 'Unreleased');
    expect(await release('9.0.0')).toMatchObject({ code: 0, stderr: '' });
    expect(git('tag')).toBe('v9.0.0');
    expect(git('status', '--porcelain')).toBe('');
    const chart = await readFile(join(folder, 'deploy/helm/aliquot/Chart.yaml'), 'utf8');
    expect(chart).toContain("\nversion: 9.0.0\nappVersion: '9.0.0'\n");
    for (const path of COPIED.filter((name) => name.endsWith('package.json')))
      expect(JSON.parse(await readFile(join(folder, path), 'utf8')).version, path).toBe('9.0.0');
    const { info } = JSON.parse(await readFile(join(folder, 'docs/reference/openapi.json'), 'utf8'));
    expect(info).toMatchObject({ version: INTERFACE_VERSION, 'x-aliquot-version': '9.0.0' });
    const changed = git('show', '--format=', '--unified=0', 'HEAD', '--', 'package-lock.json');
    expect(changed.match(/^\+ .*/gm)?.every((line) => line.includes('"9.0.0"'))).toBe(true);
    expect((await release('--notes', 'v9.0.0')).stdout.trim()).toBe(before);
    expect((await release('--notes', 'v8.0.0')).code).toBe(1);
  });
});

describe('The parts of a release', () => {
  it.each([
    ['1.2.3', '1.2.2', true],
    ['1.10.0', '1.9.9', true],
    ['2.0.0', '1.9.9', true],
    ['1.2.3', '1.2.3', false],
    ['1.2.2', '1.2.3', false],
    ['v1.2.4', '1.2.3', false],
    ['1.2', '1.1.0', false],
  ])('is %s newer than %s: %s', (version, than, answer) => {
    expect(isNewer(version, than)).toBe(answer);
  });

  it('refuse a changelog in which nothing is unreleased', () => {
    const empty = '# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2026-01-01\n\n- One\n';
    expect(() => cutChangelog(empty, { version: '1.0.1', date: '2026-02-01' })).toThrow(
      /nothing is unreleased/,
    );
  });

  it('leave packages of others with the same version alone', () => {
    const text = JSON.stringify({
      name: 'aliquot',
      version: '1.0.0',
      dependencies: { 'aliquot-report-reader': '1.0.0', other: '1.0.0' },
      peerDependencies: { 'aliquot-report-reader': '1.0.0' },
      packages: { 'node_modules/other': { name: 'other', version: '1.0.0' } },
    });
    expect(JSON.parse(withVersion(text, { from: '1.0.0', to: '1.0.1' }))).toEqual({
      name: 'aliquot',
      version: '1.0.1',
      dependencies: { 'aliquot-report-reader': '1.0.1', other: '1.0.0' },
      peerDependencies: { 'aliquot-report-reader': '1.0.1' },
      packages: { 'node_modules/other': { name: 'other', version: '1.0.0' } },
    });
  });
});

describe('The workflows', () => {
  it('run only scripts and files that are there', async () => {
    const folder = join(root, '.github/workflows');
    const texts = await Promise.all(
      (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
    );
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const called = [...texts.join('\n').matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name]) => name ?? '');
    expect(called).toContain('check');
    expect(called.filter((name) => scripts[name] === undefined)).toEqual([]);
    const paths = [...texts.join('\n').matchAll(/\s(packages\/[\w./-]+\.(?:ts|js))/g)].map(
      ([, path]) => path ?? '',
    );
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) await expect(readFile(join(root, path))).resolves.toBeDefined();
  });
});
