import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Edition } from './stage.ts';

const run = promisify(execFile);

/** Released versions from this one on have what the site is made of. */
const RELEASE = /^v\d+[.]\d+[.]\d+$/;

/** The release tags of a repository, newest first; none outside a repository. */
export async function listReleases(root: string): Promise<readonly string[]> {
  const { stdout } = await run('git', ['-C', root, 'tag', '--list', 'v*', '--sort=-version:refname']).catch(
    () => ({
      stdout: '',
    }),
  );
  return stdout.split('\n').filter((tag) => RELEASE.test(tag));
}

/** What is checked out, at the root of the site. */
export async function currentEdition(
  root: string,
  outDir: string,
  releases: readonly string[],
): Promise<Edition> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const name = `${version} (newest)`;
  return { root, version: name, base: '/', outDir, versions: versionsOf(name, releases) };
}

/** Calls `use` with a release at its own path, its documents taken from the tag; clears them away afterwards. */
export async function withRelease(
  { tag, current }: { readonly tag: string; readonly current: Edition },
  use: (edition: Edition) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-docs-'));
  try {
    const archive = join(folder, 'documents.tar');
    const root = join(folder, 'documents');
    await run('git', [
      '-C',
      current.root,
      'archive',
      '--format=tar',
      '--prefix=documents/',
      '-o',
      archive,
      tag,
    ]);
    await run('tar', ['-xf', archive, '-C', folder]);
    await use({ ...current, root, version: tag, base: `/${tag}/`, outDir: join(current.outDir, tag) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const versionsOf = (newest: string, releases: readonly string[]): Edition['versions'] => [
  { version: newest, base: '/' },
  ...releases.map((tag) => ({ version: tag, base: `/${tag}/` })),
];
