import { constants } from 'node:fs';
import { chmod, chown, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The user that runs the server when Node runs as root, because PostgreSQL refuses to run as root. */
export interface ServerAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** In order of preference. */
const CANDIDATES = ['nobody', 'postgres', 'daemon', 'bin'];

/**
 * The user that runs the server; `undefined` means the user of Node. An existing cluster keeps its owner, so `sudo npm
 * start` on a user's folder works and leaves it usable for the user.
 */
export async function findServerAccount(cluster: string): Promise<ServerAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const entries = await readPasswd();
  const owner = await stat(cluster).catch(() => undefined);
  if (owner && owner.uid !== 0) {
    return (
      entries.find(({ uid }) => uid === owner.uid) ?? {
        name: String(owner.uid),
        uid: owner.uid,
        gid: owner.gid,
      }
    );
  }
  const account = CANDIDATES.flatMap((name) => entries.find((entry) => entry.name === name) ?? [])[0];
  if (account) return account;
  throw new Error(
    `PostgreSQL does not run as root, and /etc/passwd has none of ${CANDIDATES.join(', ')} to run it as. ` +
      'Start Aliquot as another user, or set DATABASE_URL to a PostgreSQL 15 or newer.',
  );
}

/** The uid and gid options of spawn. On macOS nobody is -2, which chown needs unsigned and spawn signed. */
export const spawnIdentity = (account: ServerAccount | undefined): { uid?: number; gid?: number } =>
  account ? { uid: account.uid | 0, gid: account.gid | 0 } : {};

export async function chownTo(account: ServerAccount | undefined, path: string): Promise<void> {
  if (account) await chown(path, account.uid, account.gid);
}

/** Whether the account can reach and read this file or folder. Checks mode bits only, not ACLs. */
export async function canReach(account: ServerAccount, path: string): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    const wanted = folder === path ? constants.R_OK | constants.X_OK : constants.X_OK;
    if (!(await hasPermission(account, folder, wanted))) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Whether the account can traverse this folder; it need not be able to list it. */
export async function canEnter(account: ServerAccount, folder: string): Promise<boolean> {
  const here = await hasPermission(account, folder, constants.X_OK);
  return here && (folder === dirname(folder) || (await canEnter(account, dirname(folder))));
}

/**
 * Lets the account's group traverse a private folder of root, but not list it. `mktemp -d` and careful administrators
 * create such folders.
 */
export async function allowTraversal(account: ServerAccount, folder: string): Promise<void> {
  const { uid, gid, mode } = await stat(folder);
  if (uid !== 0 || gid !== 0 || (await hasPermission(account, folder, constants.X_OK))) return;
  await chown(folder, 0, account.gid);
  await chmod(folder, (mode & 0o7707) | 0o010);
}

async function hasPermission(account: ServerAccount, path: string, wanted: number): Promise<boolean> {
  const { uid, gid, mode } = await stat(path);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}

async function readPasswd(): Promise<ServerAccount[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    if (!name || !uid || !gid) return [];
    return [{ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }];
  });
}
