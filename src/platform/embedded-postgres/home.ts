import { createHash, randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readlink, realpath, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { canEnter, giveTo, letThrough, serverAccount, type Account } from './account.ts';
import { codeOf, messageOf } from './processes.ts';

/** Where the supervisor tells what it does; the lines of the server itself go to its own file. */
export type Log = (
  message: string,
  fields?: Record<string, unknown>,
  level?: 'info' | 'warn' | 'error',
) => void;

/** The folder of the embedded database, and who works in it. */
export interface Home {
  /** Holds the locks, the log, perhaps the binaries, and the two folders below. */
  readonly folder: string;
  readonly cluster: string;
  readonly logFile: string;
  readonly account: Account | undefined;
}

/** Where the data of root lives when the server's user cannot walk to the folder that was asked for. */
const REACHABLE = '/var/lib/aliquot';

/** The socket's name is 14 bytes and a slash; macOS takes 103 bytes in all, Linux 107. */
const SOCKET_FOLDER_LIMIT_BYTES = 103 - 15;

/** Finds or makes `<dataDir>/postgres`. The path that comes back has no links in it, as `/proc` will show it. */
export async function openHome(dataDir: string, log: Log): Promise<Home> {
  const asked = join(resolve(dataDir), 'postgres');
  const account = await serverAccount(join(asked, 'cluster'));
  const folder = await orExplain(asked, makeHome(asked, account, log));
  return { folder, cluster: join(folder, 'cluster'), logFile: join(folder, 'server.log'), account };
}

/** Turns "permission denied" of something inside into a sentence about the whole. */
export async function orExplain<T>(folder: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error))) throw error;
    throw new Error(
      `The folder ${folder} cannot be written by the user that runs Aliquot (${messageOf(error)}). ` +
        'Run it as the owner of the folder, or set DATA_DIR to another.',
      { cause: error },
    );
  }
}

async function makeHome(asked: string, account: Account | undefined, log: Log): Promise<string> {
  const dataDir = dirname(asked);
  await mkdir(dataDir, { recursive: true });
  if (account) await letThrough(account, dataDir);
  if (account && !(await lstat(asked).catch(() => undefined))) await relocate(asked, account, log);
  await makeFolder(asked);
  return realpath(asked);
}

/** Where the server listens: in the home, or under the temporary folder where that path would be too long. */
export async function openSocketFolder({ folder, account }: Home): Promise<string> {
  const near = join(folder, 'run');
  // PostgreSQL reads a list of folders here: a comma or a quote in the path would split it.
  const fits = Buffer.byteLength(near) <= SOCKET_FOLDER_LIMIT_BYTES && !/[,"'\\]/.test(near);
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const chosen = fits ? near : join(tmpdir(), `aliquot-${name}`);

  await mkdir(chosen, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  // Everybody may write in the temporary folder: what stands there already must be ours.
  const found = await lstat(chosen);
  const friends = [process.getuid?.(), account?.uid];
  if (process.platform !== 'win32' && !(found.isDirectory() && friends.includes(found.uid))) {
    throw new Error(`${chosen} should be the folder of the database's socket, but somebody else has made it`);
  }
  await giveTo(account, chosen);
  await chmod(chosen, 0o700);
  return chosen;
}

async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true });
  // Whatever the umask: the server's user walks through here. What is private below has its own mode.
  if (made) await chmod(folder, 0o755);
}

/**
 * A folder below /root cannot be entered by the server's user, and nobody should loosen /root for it.
 * The data then lives elsewhere and a link stands in its place. The name is random, not made from the path:
 * who deletes DATA_DIR wants an empty database, not the old one back.
 */
async function relocate(asked: string, account: Account, log: Log): Promise<void> {
  if (await canEnter(account, dirname(asked))) return;
  const elsewhere = join(REACHABLE, randomBytes(8).toString('hex'));
  await makeFolder(REACHABLE);
  await makeFolder(elsewhere);
  if (!(await canEnter(account, elsewhere))) {
    throw new Error(
      `User ${account.name} can enter neither ${asked} nor ${REACHABLE}. Set DATA_DIR or DATABASE_URL.`,
    );
  }
  await symlink(elsewhere, asked).catch((error: unknown) => {
    // Another process was first; its choice holds.
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  const reason = `user ${account.name}, who runs PostgreSQL because root may not, cannot enter this folder`;
  log('The database is kept elsewhere', { folder: asked, elsewhere: await readlink(asked), reason });
}
