import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CleanupTasks } from '../../../../tools/stage/cleanup.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const MIGRATIONS = 'packages/server/migrations';
const OUTPUT_MAX = 16 * 1024 * 1024;

const git = async (...args: string[]): Promise<string> =>
  (await run('git', args, { cwd: root, maxBuffer: OUTPUT_MAX })).stdout.trim();

/** A built checkout. */
export interface BuiltCheckout {
  readonly name: string;
  /** Arguments that make Node run its command `aliquot`. */
  readonly command: readonly string[];
  readonly migrations: readonly string[];
}

/** The last release; before the first one, the state before the newest migration, so that there is a migration to play. */
export async function findPreviousRevision(): Promise<string> {
  const tags = (await git('tag', '--list', 'v*', '--sort=-version:refname', '--merged')).split('\n');
  const head = await git('rev-parse', 'HEAD');
  for (const tag of tags.filter((name) => name !== ''))
    if ((await git('rev-list', '-n', '1', tag)) !== head) return tag;
  const added = await git('log', '-1', '--format=%H', '--diff-filter=A', '--', MIGRATIONS);
  return `${added}^`;
}

/** Checks a revision of this repository out into a temporary folder, and builds it. */
export async function buildRevision(revision: string, cleanups: CleanupTasks): Promise<BuiltCheckout> {
  const commit = await git('rev-parse', '--verify', `${revision}^{commit}`);
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-previous-'));
  // Also what an interrupted run has left is forgotten: a worktree without its folder.
  cleanups.push(() => git('worktree', 'prune'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const checkout = join(folder, 'checkout');
  await git('worktree', 'add', '--quiet', '--detach', checkout, commit);
  await installPackages(checkout);
  await run(process.execPath, ['tools/build.mjs'], { cwd: checkout, maxBuffer: OUTPUT_MAX });
  return describeCheckout(await git('log', '-1', '--format=%h %s', commit), checkout);
}

/** This checkout, which must be built. */
export const thisCheckout = (): Promise<BuiltCheckout> => describeCheckout('this version', root);

async function describeCheckout(name: string, checkout: string): Promise<BuiltCheckout> {
  const files = await readdir(join(checkout, MIGRATIONS));
  return {
    name,
    command: [join(checkout, 'packages/server/bin/aliquot.js')],
    migrations: files.filter((file) => file.endsWith('.sql')).toSorted(),
  };
}

const LOCK = 'package-lock.json';

/** The installed packages of this checkout if they are those of the other one; its own packages are found by relative links. */
async function installPackages(checkout: string): Promise<void> {
  const [ours, theirs] = await Promise.all([readFile(join(root, LOCK)), readFile(join(checkout, LOCK))]);
  if (!ours.equals(theirs)) {
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: checkout, maxBuffer: OUTPUT_MAX });
    return;
  }
  for (const name of ['', ...(await readdir(join(root, 'packages'))).map((each) => `packages/${each}/`)])
    await copyLinked(join(root, name, 'node_modules'), join(checkout, name, 'node_modules'));
}

/** By hard links where both are on one file system. A folder that does not exist is not copied. */
async function copyLinked(from: string, to: string): Promise<void> {
  if ((await readdir(from).catch(() => undefined)) === undefined) return;
  await run('cp', ['-al', from, to]).catch(async () => {
    await rm(to, { recursive: true, force: true });
    await run('cp', ['-a', from, to]);
  });
}
