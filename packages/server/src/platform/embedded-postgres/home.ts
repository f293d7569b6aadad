import { createHash, randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readlink, realpath, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { canEnter, chownTo, allowTraversal, findServerAccount, type ServerAccount } from './account.ts';
import { errorCodeOf, messageOf } from './processes.ts';

/** The log of the supervisor. The server's own log goes to its own file. */
export type SupervisorLog = (
  message: string,
  fields?: Record<string, unknown>,
  level?: 'info' | 'warn' | 'error',
) => void;

/** The folder of the embedded database, and the user that owns it. */
export interface DatabaseHome {
  /** Contains the locks, the log, possibly the binaries, and the two folders below. */
  readonly folder: string;
  readonly cluster: string;
  readonly logFile: string;
  readonly account: ServerAccount | undefined;
}

/** The location of the data when the server's user cannot reach the folder of root. */
const FALLBACK_FOLDER = '/var/lib/aliquot';

/** The socket name is 14 bytes and a slash; a socket path is limited to 103 bytes on macOS, 107 on Linux. */
const SOCKET_FOLDER_LIMIT_BYTES = 103 - 15;

/** Finds or creates `<dataDir>/postgres`. Returns a path without symbolic links, as `/proc` shows it. */
export async function openHome(dataDir: string, log: SupervisorLog): Promise<DatabaseHome> {
  const asked = join(resolve(dataDir), 'postgres');
  const account = await findServerAccount(join(asked, 'cluster'));
  const folder = await explainPermissionError(asked, makeHome(asked, account, log));
  return { folder, cluster: join(folder, 'cluster'), logFile: join(folder, 'server.log'), account };
}

/** Turns a permission error of an inner step into a message about the folder. */
export async function explainPermissionError<T>(folder: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(errorCodeOf(error))) throw error;
    throw new Error(
      `The folder ${folder} is not writable by the user that runs Aliquot (${messageOf(error)}). ` +
        'Run Aliquot as the owner of the folder, or set DATA_DIR to another folder.',
      { cause: error },
    );
  }
}

async function makeHome(
  asked: string,
  account: ServerAccount | undefined,
  log: SupervisorLog,
): Promise<string> {
  const dataDir = dirname(asked);
  await mkdir(dataDir, { recursive: true });
  if (account) await allowTraversal(account, dataDir);
  if (account && !(await lstat(asked).catch(() => undefined))) await relocate(asked, account, log);
  await makeFolder(asked);
  return realpath(asked);
}

/** The folder of the server's socket: in the home, or in the temporary folder if that path would be too long. */
export async function openSocketFolder({ folder, account }: DatabaseHome): Promise<string> {
  const near = join(folder, 'run');
  // PostgreSQL reads this setting as a list: a comma or a quote in the path would split it.
  const fits = Buffer.byteLength(near) <= SOCKET_FOLDER_LIMIT_BYTES && !/[,"'\\]/.test(near);
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const chosen = fits ? near : join(tmpdir(), `aliquot-${name}`);

  await mkdir(chosen, { mode: 0o700 }).catch((error: unknown) => {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
  });
  // The temporary folder is writable for all users, so an existing folder must be ours.
  const found = await lstat(chosen);
  const friends = [process.getuid?.(), account?.uid];
  if (process.platform !== 'win32' && !(found.isDirectory() && friends.includes(found.uid))) {
    throw new Error(
      `${chosen} should be the folder of the database socket, but it belongs to another user. Remove it, or set TMPDIR`,
    );
  }
  await chownTo(account, chosen);
  await chmod(chosen, 0o700);
  return chosen;
}

async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true });
  // Independent of the umask, because the server's user must traverse it. Private folders below have their own mode.
  if (made) await chmod(folder, 0o755);
}

/**
 * The server's user cannot enter a folder below /root, and /root should stay private. The data are then stored
 * elsewhere, with a symbolic link in their place. The name is random, not derived from the path: deleting DATA_DIR must
 * give an empty database, not the old one.
 */
async function relocate(asked: string, account: ServerAccount, log: SupervisorLog): Promise<void> {
  if (await canEnter(account, dirname(asked))) return;
  const elsewhere = join(FALLBACK_FOLDER, randomBytes(8).toString('hex'));
  await makeFolder(FALLBACK_FOLDER);
  await makeFolder(elsewhere);
  if (!(await canEnter(account, elsewhere))) {
    throw new Error(
      `User ${account.name} can access neither ${asked} nor ${FALLBACK_FOLDER}. Set DATA_DIR or DATABASE_URL.`,
    );
  }
  await symlink(elsewhere, asked).catch((error: unknown) => {
    // Another process was first; its choice counts.
    if (errorCodeOf(error) !== 'EEXIST') throw error;
  });
  const reason = `user ${account.name}, which runs PostgreSQL because root must not, cannot enter this folder`;
  log('The database is stored in another folder', {
    folder: asked,
    elsewhere: await readlink(asked),
    reason,
  });
}
