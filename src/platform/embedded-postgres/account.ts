import { constants } from 'node:fs';
import { chmod, chown, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The user that the server runs as where Node runs as root, because PostgreSQL refuses root. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** In this order: the first that the machine has. */
const CANDIDATES = ['nobody', 'postgres', 'daemon', 'bin'];

/**
 * Who runs the server; `undefined` means the user that Node runs as.
 * An existing cluster keeps its owner, so `sudo npm start` on a user's folder works and leaves it usable for the user.
 */
export async function serverAccount(cluster: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const entries = await passwd();
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

/** The options of spawn. macOS calls nobody -2, which chown wants unsigned and spawn wants signed. */
export const runAs = (account: Account | undefined): { uid?: number; gid?: number } =>
  account ? { uid: account.uid | 0, gid: account.gid | 0 } : {};

export async function giveTo(account: Account | undefined, path: string): Promise<void> {
  if (account) await chown(path, account.uid, account.gid);
}

/** Whether the account may walk to this file or folder and read it. Looks at mode bits only, not at ACLs. */
export async function canReach(account: Account, path: string): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    const wanted = folder === path ? constants.R_OK | constants.X_OK : constants.X_OK;
    if (!(await mayUse(account, folder, wanted))) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Whether the account may walk through this folder; it need not be able to list it. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  const here = await mayUse(account, folder, constants.X_OK);
  return here && (folder === dirname(folder) || (await canEnter(account, dirname(folder))));
}

/**
 * Opens a private folder of root for the account's group, to walk through and no more: not to list, not for others.
 * `mktemp -d` and a careful administrator make such folders.
 */
export async function letThrough(account: Account, folder: string): Promise<void> {
  const { uid, gid, mode } = await stat(folder);
  if (uid !== 0 || gid !== 0 || (await mayUse(account, folder, constants.X_OK))) return;
  await chown(folder, 0, account.gid);
  await chmod(folder, (mode & 0o7707) | 0o010);
}

async function mayUse(account: Account, path: string, wanted: number): Promise<boolean> {
  const { uid, gid, mode } = await stat(path);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}

async function passwd(): Promise<Account[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    if (!name || !uid || !gid) return [];
    return [{ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }];
  });
}
